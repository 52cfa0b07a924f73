import { afterAll, beforeAll, expect, test } from 'vitest'
import { startCli } from '../helpers/cli-process.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'
import { partsOf, sessions } from '../helpers/postgres-exports.ts'

/* A standby that must go on cancels whoever reads a state that the primary has cleaned up. */

let primary: Postgres
let standby: Postgres
beforeAll(async () => {
  primary = await startPostgres({ autovacuum: 'off' })
  await primary.psql(`CREATE TABLE events AS SELECT g AS id, '2024-03-01+00'::timestamptz + g * interval '20 s' AS created_at
    FROM generate_series(0, 8639) g`)
  standby = await startPostgres({ max_standby_streaming_delay: '0', hot_standby_feedback: 'off' }, primary)
})
afterAll(async () => {
  await standby?.close()
  await primary?.close()
})

test('an export from a standby that cancels it reads the window again, and is whole', async () => {
  const out = testFolder()
  const words = [
    '--table',
    'events',
    '--time-column',
    'created_at',
    '--from',
    '2024-03-01',
    '--to',
    '2024-03-02',
  ]
  // A slow reader holds its snapshot while the primary cleans up.
  const slow = ['--rows-per-second', '500', '--out', out]
  const cli = startCli(['export', 'postgres', ...words, ...slow], { POSTGRES_URL: standby.url() })
  const reading = () => sessions(standby, "query LIKE 'FETCH%'")
  await expect.poll(reading, { timeout: patience(30_000) }).toBe(1)
  // Rows of another day: those that are exported stay what they are.
  await primary.psql('DELETE FROM events WHERE id >= 4320')
  await primary.psql('VACUUM events')
  const { code, stderr } = await cli.ended
  expect(code, stderr).toBe(0)
  expect(stderr).toMatch(/conflict with recovery/)
  const lines = Object.values(partsOf(out)).flat()
  expect(lines.map((line) => Number(JSON.parse(line).id)).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 4320 }, (_, id) => id),
  )
})
