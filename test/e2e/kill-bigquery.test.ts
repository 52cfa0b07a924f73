import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { FakeBigQuery, type FakeBigQueryOptions } from '../helpers/vendors/bigquery.ts'
import type { Mischief } from '../helpers/vendors/fake.ts'
import { ga4Lines, tableOf } from '../helpers/vendors/ga4-table.ts'

const seed = seedOf('kill bigquery')
const KILLS = kills({ few: 3, many: 20 })
const MISCHIEF: readonly Mischief[] = [
  { kind: 'storm', rate: 0.03 },
  { kind: 'busy', rate: 0.03 },
  { kind: 'html', rate: 0.03 },
  { kind: 'drop', rate: 0.05 },
  { kind: 'cut', rate: 0.05 },
  { kind: 'drip', rate: 0.1 },
]
const DAYS = ['20240301', '20240302', '20240303', '20240304']

async function started(options: FakeBigQueryOptions): Promise<FakeBigQuery> {
  const fake = new FakeBigQuery({ seed, mischief: MISCHIEF, ...options })
  onTestFinished(() => fake.close())
  return fake.start()
}

/** Exports through kills, and returns the folder. */
async function killed(fake: FakeBigQuery, words: readonly string[]): Promise<string> {
  const raw = join(testFolder(), 'raw')
  const key = fake.keyFile(join(testFolder(), 'key.json'))
  await exportUnderKills({
    argv: ['export', 'bigquery', '--dataset', fake.name, '--base-url', fake.url, ...words, '--out', raw],
    env: { GOOGLE_APPLICATION_CREDENTIALS: key },
    fake,
    random: seeded(seed),
    kills: KILLS,
  })
  return raw
}

/** Takes records through transform, import and verify, and returns what the service then holds. */
async function carried(folder: string): Promise<string[]> {
  const events = join(testFolder(), 'events')
  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const env = {
    POSTHOG_HOST: sandbox.url,
    POSTHOG_PROJECT_API_KEY: sandbox.projectKey,
    POSTHOG_PERSONAL_API_KEY: sandbox.personalKey,
    POSTHOG_PROJECT_ID: String(sandbox.projectId),
  }
  for (const argv of [
    ['transform', '--preset', 'ga4', '--in', folder, '--out', events],
    ['import', '--dataset', events, '--max-events-per-minute', '1000000', '--approved'],
    ['verify', events],
  ]) {
    const { code, stderr } = await runHosted(argv, env)
    expect(code, `${argv[0]}: ${stderr}`).toBe(0)
  }
  const { results } = await sandbox.query(
    'SELECT uuid, event, distinct_id, timestamp, properties FROM events',
  )
  return results.map((row) => JSON.stringify(row)).sort()
}

test(`days of Google Analytics through ${KILLS} kills and all moods are the events that their files make`, async () => {
  const lines = ga4Lines(DAYS, 6)
  const tables = Object.fromEntries(DAYS.map((day) => [`events_${day}`, tableOf(lines[day]!)]))
  const fake = await started({ tables, pageRows: 12 })
  const raw = await killed(fake, ['--like', 'ga4', '--from', '2024-03-01', '--to', '2024-03-05'])
  // Their sizes are asked for, and no rows.
  expect(fake.ran.filter((query) => !query.includes('__TABLES__'))).toEqual([])
  const files = join(testFolder(), 'files')
  mkdirSync(files)
  for (const day of DAYS) writeFileSync(join(files, `events_${day}.json`), `${lines[day]!.join('\n')}\n`)
  const [here, there] = [await carried(raw), await carried(files)]
  expect(here.length).toBeGreaterThan(100)
  expect(here).toEqual(there)
})

test(`windows of a table through ${KILLS} kills and all moods have each row once`, async () => {
  const start = Date.UTC(2024, 2, 1)
  const rows = Array.from({ length: 900 }, (_, i) => ({
    f: [String(i), i % 50 === 0 ? null : String((start + i * 480_000) * 1000)].map((v) => ({ v })),
  }))
  const fields = [
    { name: 'id', type: 'INTEGER' },
    { name: 'at', type: 'TIMESTAMP' },
  ]
  const fake = await started({ tables: { events: { fields, rows, partition: 'at' } }, pageRows: 40 })
  fake.polls = 2
  const raw = await killed(fake, [
    '--table',
    'events',
    '--time-column',
    'at',
    '--from',
    '2024-03-01',
    '--to',
    '2024-03-06',
  ])
  const parts = readdirSync(raw).filter((name) => name.endsWith('.gz'))
  const lines = parts.flatMap((name) =>
    gunzipSync(readFileSync(join(raw, name)))
      .toString()
      .trim()
      .split('\n'),
  )
  const ids = lines.map((line) => JSON.parse(line).id as number)
  expect(ids.sort((a, b) => a - b)).toEqual(rows.map((_, i) => i))
})
