import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { RunResult } from '../../src/jobs/results.ts'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { signalWhen, startCli } from '../helpers/cli-process.ts'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { type MariaDb, startMariaDb } from '../helpers/mariadb.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'
import { partsOf } from '../helpers/postgres-exports.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'

/* A migration file whose source is a database, end to end: `posthaul run`. */

const MAPPING = `preset: events
fields: { event: name, distinct_id: user_id, timestamp: created_at, uuid: id }
`

interface Rig {
  readonly folder: string
  readonly file: string
  readonly env: Record<string, string>
}

/** A migration of a table `events` from 1 March 2024 to `to`. */
async function rig(
  source: string,
  login: Record<string, string>,
): Promise<Rig & { until(to: string): void }> {
  const sandbox: Sandbox = await startSandbox({ mergeAfterMs: 0 })
  onTestFinished(() => sandbox.close())
  const folder = testFolder()
  const file = join(folder, 'migration.yaml')
  writeFileSync(join(folder, 'mapping.yaml'), MAPPING)
  const until = (to: string) =>
    writeFileSync(
      file,
      `source:
  ${source}: { from: 2024-03-01, to: ${to}, table: [events], time_column: created_at, window: 2h, overlap: 2d }
mapping: { file: mapping.yaml }
store: data
target: { host: "${sandbox.url}", project_id: ${sandbox.projectId} }
approval: { reference: rehearsal, events: 1000000, events_per_minute: 1000000 }
`,
    )
  return { folder, file, until, env: { ...sandboxEnv(sandbox), ...login } }
}

async function ran({ file, env }: Rig): Promise<RunResult> {
  const { code, stdout, stderr } = await runCommand(['run', file, '--json'], { env, built: true })
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

const stagesOf = ({ stages }: RunResult) => stages.map(({ stage }) => stage)
const ALL = ['export', 'transform', 'check', 'import', 'verify']

/** The ids of the rows whose events all windows have. */
function idsIn(folder: string): number[] {
  const windows = readdirSync(join(folder, 'data/events'))
  const lines = windows.flatMap((window) => readSoundDataset(join(folder, 'data/events', window)).lines)
  return lines.map((line) => Number(JSON.parse(line).properties.n)).sort((a, b) => a - b)
}

const numbers = (text: string) => text.trim().split('\n').map(Number)

describe('Postgres', () => {
  let server: Postgres
  beforeAll(async () => {
    server = await startPostgres()
    await server.psql(`CREATE TABLE events AS SELECT g AS id, g AS n, '2024-03-01+00'::timestamptz + g * interval '60 s' AS created_at,
      'Page Viewed' AS name, 'u' || g % 50 AS user_id FROM generate_series(1, 4300) g`)
  })
  afterAll(() => server?.close())

  test('a run that was killed in its export goes on, and late rows come with the next window', async () => {
    const migration = await rig('postgres', { POSTGRES_URL: server.url() })
    migration.until('2024-03-03')
    const raw = join(migration.folder, 'data/raw/2024-03-01_2024-03-03')
    const parts = () => (existsSync(raw) ? readdirSync(raw).filter((name) => name.endsWith('.gz')) : [])
    const killed = await signalWhen(
      startCli(['run', migration.file], migration.env),
      'SIGKILL',
      () => parts().length >= 3,
    )
    expect(killed.signal).toBe('SIGKILL')
    const kept = parts()
    expect(kept.length).toBeLessThan(24)
    const first = await ran(migration)
    expect(stagesOf(first)).toEqual(ALL)
    // Those that were whole are not read again; the 25th is that of rows without a time.
    expect(first.stages[0]!.summary).toMatchObject({ windows: { asked: 25, fetched: 25 - kept.length } })
    const ids = await server.psql("SELECT id FROM events WHERE created_at < '2024-03-03+00' ORDER BY id")
    expect(idsIn(migration.folder)).toEqual(numbers(ids))
    // It comes late, into a window that is done, and with the digits of another time zone.
    await server.psql("INSERT INTO events VALUES (20000, 20000, '2024-03-02 12:00:00+05:30', 'Late', 'u1')")
    expect(stagesOf(await ran(migration))).toEqual([])
    migration.until('2024-03-04')
    expect(stagesOf(await ran(migration))).toEqual(ALL)
    expect(idsIn(migration.folder)).toEqual(
      numbers(await server.psql("SELECT id FROM events WHERE created_at < '2024-03-04+00' ORDER BY id")),
    )
  })

  test('an export with --overlap reads young windows again, though they have as many rows', async () => {
    await server.psql(`CREATE TABLE recent AS SELECT g AS id, date_trunc('day', now(), 'UTC') - g * interval '1 h' AS created_at
      FROM generate_series(1, 96) g`)
    const out = join(testFolder(), 'raw')
    const day = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10)
    const argv = ['export', 'postgres', '--table', 'recent', '--time-column', 'created_at', '--overlap', '2d']
    const exported = async () => {
      const words = [...argv, '--from', day(4), '--to', day(0), '--out', out]
      const { code, stderr } = await runCommand(words, { env: { POSTGRES_URL: server.url() } })
      expect(code, stderr).toBe(0)
      return Object.values(partsOf(out)).flat().join('\n')
    }
    expect(await exported()).not.toContain('"id":-')
    // Neither the oldest window nor the youngest has another number of rows now.
    await server.psql('UPDATE recent SET id = -id WHERE id IN (1, 96)')
    const again = await exported()
    expect([again.includes('"id":-1,'), again.includes('"id":-96,')]).toEqual([true, false])
  })
})

describe('MySQL', () => {
  let server: MariaDb
  beforeAll(async () => {
    server = await startMariaDb()
    await server.run(`CREATE TABLE events (id INT PRIMARY KEY, n INT, created_at TIMESTAMP(6) NOT NULL, name VARCHAR(40), user_id VARCHAR(9));
      SET time_zone = '+00:00'; INSERT INTO events SELECT seq, seq, '2024-03-01' + INTERVAL seq * 170 SECOND, 'Page Viewed',
      CONCAT('u', seq % 50) FROM seq_1_to_1000`)
  })
  afterAll(() => server?.close())

  test('a run brings all rows', async () => {
    const migration = await rig('mysql', { MYSQL_URL: server.url() })
    migration.until('2024-03-03')
    expect(stagesOf(await ran(migration))).toEqual(ALL)
    expect(idsIn(migration.folder)).toEqual(Array.from({ length: 1000 }, (_, at) => at + 1))
    expect(stagesOf(await ran(migration))).toEqual([])
  })
})
