import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'

const [YESTERDAY, TODAY] = [1, 0].map((days) =>
  new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10),
) as [string, string]
const SIXTY_ONE_DAYS_MS = 61 * 86_400_000

type Storage = 'json' | 'table'

/** Exports a project of two events, and says what the export's summary tells of persons. */
async function exporter(storage: Storage) {
  const sandbox = await testSandbox({ storage })
  const batch = [
    { event: '$identify', distinct_id: 'a', properties: { $set: { plan: 'pro' } } },
    { event: 'plain', distinct_id: 'a', properties: {} },
  ].map((event) => ({ ...event, timestamp: `${YESTERDAY}T12:00:00Z` }))
  const body = JSON.stringify({ api_key: sandbox.projectKey, historical_migration: true, batch })
  expect((await fetch(`${sandbox.url}/batch/`, { method: 'POST', body })).status).toBe(200)
  const env = {
    POSTHOG_SOURCE_HOST: sandbox.url,
    POSTHOG_SOURCE_PROJECT_ID: String(sandbox.projectId),
    POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
  }
  const folder = testFolder()
  const span = ['--from', YESTERDAY, '--to', TODAY]
  return {
    sandbox,
    folder,
    run: async (name: string, ...more: string[]) => {
      const argv = ['export', 'posthog', ...span, '--out', join(folder, name), ...more]
      const { stdout } = await exits(0, runHosted([...argv, '--json'], env))
      const { person_state } = JSON.parse(stdout) as { person_state: unknown }
      const again = await runHosted([...argv], env)
      return { person_state, text: again.stderr }
    },
  }
}

test('an export says where the state of persons comes from, and that it is gone', async () => {
  const { run, sandbox, folder } = await exporter('json')
  expect((await run('at-once')).person_state).toMatchObject({ from: 'events', events_without_set: 0 })
  sandbox.advance(SIXTY_ONE_DAYS_MS)

  const late = await run('late')
  expect(late.person_state).toEqual({ from: 'person_properties', events_without_set: 2, reason: null })
  expect(late.text.replaceAll(/\s+/g, ' ')).toContain(
    'person_properties of the rows: none of 2 events stored over 60 days ago has $set',
  )
  expect(late.text.replaceAll(/\s+/g, ' ')).toContain('--with person-properties')
  const events = join(folder, 'events')
  const words = ['--with', 'person-properties', '--in', join(folder, 'late'), '--out', events]
  await exits(0, runHosted(['transform', '--preset', 'posthog', ...words]))
  const lines = readFileSync(join(events, `${YESTERDAY}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
  expect(lines.map((line) => JSON.parse(line).properties.$set)).toMatchObject([
    { plan: 'pro' },
    { plan: 'pro' },
  ])
  const persons = await run('persons', '--persons')
  expect(persons.person_state).toMatchObject({ from: 'persons' })
  expect(persons.text).toContain('persons   as they are now')
  const downloads = await run('downloads', '--via', 'downloads')
  expect(downloads.person_state).toMatchObject({ from: 'person_properties', events_without_set: 2 })
  expect(downloads.text.replaceAll(/\s+/g, ' ')).toContain('--with person-properties')
})

test('a server on the old storage keeps $set', async () => {
  const { run, sandbox } = await exporter('table')
  sandbox.advance(SIXTY_ONE_DAYS_MS)
  expect((await run('late')).person_state).toMatchObject({ from: 'events', events_without_set: 0 })
})
