import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from '../helpers/command-host.ts'
import { testFolder } from '../helpers/folder.ts'

const WAREHOUSE = fileURLToPath(new URL('../../fixtures/warehouse/', import.meta.url))

test.each([
  [
    'amplitude',
    { read: 3, written: 3, generated: 2 },
    ['$groupidentify', '$identify', '$pageview', 'Order Placed', 'Viewed, "twice"'],
  ],
  [
    'mixpanel',
    { read: 3, written: 3, generated: 1 },
    ['$identify', '$pageview', 'Signed up "again"', 'Video Played'],
  ],
])('the table of a %s warehouse arrives in the service', async (vendor, counts, names) => {
  const events = join(testFolder(), 'events')
  const map = join(WAREHOUSE, `${vendor}.mapping.yaml`)
  const transform = await runHosted([
    'transform',
    '--map',
    map,
    '--in',
    join(WAREHOUSE, `${vendor}.csv`),
    '--out',
    events,
    '--json',
  ])
  expect(transform).toMatchObject({ code: 0 })
  const nowhere = { rejected: 0, filtered: 0, duplicate: 0, earlier: 0, pending: 0 }
  expect(JSON.parse(transform.stdout).counts).toEqual({ ...counts, ...nowhere })

  const sandbox = await startSandbox()
  onTestFinished(() => sandbox.close())
  const { url, projectKey, personalKey } = sandbox
  const env = {
    POSTHOG_HOST: url,
    POSTHOG_INGEST_HOST: url,
    POSTHOG_PROJECT_API_KEY: projectKey,
    POSTHOG_PERSONAL_API_KEY: personalKey,
    POSTHOG_PROJECT_ID: '1',
  }
  const fast = ['--approved', '--max-events-per-minute', '1000000']
  expect(await runHosted(['import', '--dataset', events, ...fast], env)).toMatchObject({ code: 0 })
  expect(await runHosted(['verify', events], env)).toMatchObject({ code: 0 })

  const { results } = await sandbox.query('SELECT uuid, event, distinct_id, toDate(timestamp) FROM events')
  // A group type that the project did not have is made by an event of the import's own.
  const own = existsSync(`${events}.own.ndjson`) ? readFileSync(`${events}.own.ndjson`, 'utf8') : ''
  const sent = results.filter(([uuid]) => !own.includes(String(uuid)))
  expect(sent.map((row) => row.join(' ')).sort()).toEqual(identities(events))
  expect(sent.map((row) => String(row[1])).sort()).toEqual(names)
})

/** What makes each event of a dataset one event to the service. */
function identities(folder: string): string[] {
  return readdirSync(folder)
    .filter((file) => /^\d{4}-\d\d-\d\d\.ndjson$/.test(file))
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line))
    .map(({ uuid, event, distinct_id, timestamp }) =>
      [uuid, event, distinct_id, timestamp.slice(0, 10)].join(' '),
    )
    .sort()
}
