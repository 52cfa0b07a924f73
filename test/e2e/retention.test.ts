import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { madeDataset } from '../helpers/made-dataset.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { FakeMixpanel } from '../helpers/vendors/mixpanel.ts'

/** A project that shows a year: what is older is taken, and never seen. */

const DAY_MS = 86_400_000
const day = (ago: number) => new Date(Date.now() - ago * DAY_MS).toISOString().slice(0, 10)
const [OLDEST, OLD, NEW] = [day(800), day(700), day(100)]

const event = (n: number, day: string, name: string) => ({
  uuid: `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  event: name,
  distinct_id: 'u',
  timestamp: `${day}T00:00:${String(n).padStart(2, '0')}Z`,
  properties: { n, $groups: { company: 'a' } },
})
const withoutGroups = (one: ReturnType<typeof event>) => ({ ...one, properties: { n: one.properties.n } })
const HISTORY = [
  event(1, OLDEST, 'signup'),
  event(2, OLD, 'signup'),
  event(3, OLD, 'paid'),
  event(4, NEW, 'signup'),
  event(5, NEW, 'paid'),
]

async function sandboxOf(retentionMonths: number) {
  const sandbox = await testSandbox({ retentionMonths })
  return { sandbox, env: sandboxEnv(sandbox) }
}

/** Text without its folds. */
const flat = (text: string) => text.replace(/\s+/g, ' ')
const HIDDEN = `3 events of 2 days (${OLDEST} to ${OLD}) would be hidden by the project's retention (12 months)`
const NAMES =
  '(signup 2, paid 1): PostHog takes such events and says Ok, never shows them, and deletes them later'

test('what the project hides stops an import before its first event, and is told before', async () => {
  const { sandbox, env } = await sandboxOf(12)
  const { raw, dataset } = await madeDataset(HISTORY)
  for (const line of [
    ['check', dataset],
    ['doctor', '--dataset', dataset],
    ['import', '--dataset', dataset, '--dry-run'],
    ['import', '--dataset', dataset],
    ['import', '--file', raw],
    ['import', '--file', raw, '--dry-run'],
    ['check', '--file', raw],
  ]) {
    const found = await runHosted(line, env)
    const said = flat(found.stderr + found.stdout)
    expect(said, line.join(' ')).toContain(HIDDEN)
    expect(said, line.join(' ')).toContain(NAMES)
    expect(said).toContain('in the mapping file: filter: { from: ')
    expect(said).toContain('--accept hidden_events')
    expect(found.code, line.join(' ')).toBe(3)
  }
  expect(sandbox.stats().events).toBe(0)
})

test('what the project hides is not missing: it is counted apart, and the rest is proven', async () => {
  const { sandbox, env } = await sandboxOf(12)
  const { folder, dataset } = await madeDataset(HISTORY)
  const imported = await exits(
    0,
    runHosted(['import', '--dataset', dataset, '--accept', 'hidden_events'], env),
  )
  expect(flat(imported.stderr)).toContain(HIDDEN)
  expect(sandbox.stats().events).toBeGreaterThanOrEqual(5)
  const verified = await runHosted(['verify', dataset], env)
  const json = JSON.parse((await runHosted(['verify', dataset, '--json'], env)).stdout)
  expect(json).toMatchObject({ equal: true, missing: [], missing_file: null, differences: [] })
  // The import's own event that makes the group type is among them.
  expect(json.hidden).toMatchObject({ events: 4, days: 2, months: 12 })
  const hidden = `4 events of 2 days before ${json.hidden.shown_from} are hidden by the project's retention (12 months): they were not asked for`
  expect(verified.code, verified.stderr).toBe(0)
  expect(flat(verified.stderr)).toContain('equal: 2 events in 1 day')
  expect(flat(verified.stderr)).toContain(hidden)
  expect(verified.stderr).not.toMatch(/missing|mistyped/)
  const undone = await runHosted(['undo', dataset], env)
  expect(flat(undone.stdout)).toContain(
    `not selected: 4 events before ${json.hidden.shown_from} are hidden by`,
  )
  const page = join(folder, 'report.html')
  await exits(0, runHosted(['report', dataset, '--out', page], env))
  expect(readFileSync(page, 'utf8').replaceAll('&#39;', "'")).toContain(hidden)
})

test('where all events are hidden there is nothing to compare, and that is said', async () => {
  const { env } = await sandboxOf(1)
  const { folder, dataset } = await madeDataset(HISTORY.slice(0, 2))
  const accept = ['--accept', 'hidden_events']
  await exits(0, runHosted(['import', '--dataset', dataset, ...accept], env))
  const verified = await exits(0, runHosted(['verify', dataset], env))
  expect(flat(verified.stderr)).toContain('verify: nothing to compare: the project hides all of these events')
  expect(verified.stderr).not.toMatch(/missing|mistyped|equal/)
  expect(JSON.parse((await runHosted(['verify', dataset, '--json'], env)).stdout).equal).toBe(false)
  const page = join(folder, 'report.html')
  await exits(0, runHosted(['report', dataset, '--out', page], env))
  expect(readFileSync(page, 'utf8')).toContain('No event could be compared.')
})

test('other events beside hidden ones, none of which could be compared, are no proof', async () => {
  const { env } = await sandboxOf(12)
  const flag = event(3, NEW, '$feature_flag_called')
  const { dataset } = await madeDataset([event(1, OLD, 'signup'), flag].map(withoutGroups))
  await exits(0, runHosted(['import', '--dataset', dataset, '--accept', 'hidden_events'], env))
  const verified = await runHosted(['verify', dataset], env)
  expect(flat(verified.stderr)).toContain('verify: no event could be compared')
  expect(verified.code).toBe(3)
})

test('an export of a project that hides days of it stops before it begins, unless that is accepted', async () => {
  const { sandbox } = await sandboxOf(12)
  const env = {
    POSTHOG_SOURCE_HOST: sandbox.url,
    POSTHOG_SOURCE_PROJECT_ID: '1',
    POSTHOG_SOURCE_API_KEY: sandbox.personalKey,
  }
  const folder = makeFolder()
  const dry = await exits(
    3,
    runHosted(['export', 'posthog', '--from', day(400), '--to', day(399), '--out', folder, '--dry-run'], env),
  )
  expect(flat(dry.stderr)).toContain('hidden by its retention (12 months)')
  expect(dry.stdout).toContain(`POST ${sandbox.url}/api/projects/1/query/ events of ${day(400)}`)
  const exported = (name: string, from: string, ...more: string[]) => {
    const span = ['--from', from, '--to', day(99), '--out', join(folder, name)]
    return runHosted(['export', 'posthog', ...span, ...more], env)
  }
  const stopped = await exits(3, exported('a', day(400)))
  expect(flat(stopped.stderr)).toContain(
    'hidden by its retention (12 months), and no query or download has them',
  )
  expect(flat(stopped.stderr)).toContain('files that a batch export of the project has written')
  const accepted = await exits(0, exported('b', day(367), '--accept', 'hidden_events'))
  expect(flat(accepted.stderr)).toContain('hidden by its retention (12 months)')
  expect(flat(accepted.stderr)).toMatch(
    /nothing is short in \d+ days: .* not in it, nor counted: events from before [\d-]+, which the project hides/,
  )
  const young = await exits(0, exported('c', day(100)))
  expect(young.stderr).not.toContain('retention')
  expect(young.stderr).not.toContain('hides')
  const { source } = JSON.parse(readFileSync(join(folder, 'c', 'manifest.json'), 'utf8'))
  expect(source).toMatchObject({ retention_months: '12', shown_from: expect.stringMatching(/^\d{4}-/) })
})

test('a new migration file says how to leave out what the project hides', async () => {
  const folder = makeFolder()
  const init = async (retentionMonths: number | undefined) => {
    const sandbox = await testSandbox(retentionMonths === undefined ? {} : { retentionMonths })
    const file = join(folder, `${retentionMonths}.yaml`)
    const what = ['--source', 'files', '--in', 'raw/', '--preset', 'posthog', '--store', 'store']
    const made = await exits(
      0,
      runHosted(['run', file, '--init', ...what, '--host', sandbox.url], sandboxEnv(sandbox)),
    )
    return { stderr: flat(made.stderr), text: readFileSync(file, 'utf8') }
  }
  const { stderr, text } = await init(12)
  const [, from] = /# {3}filter: \{ from: ([\d-]{10}) \}/.exec(text) ?? []
  expect([day(364), day(365), day(366)]).toContain(from)
  expect(stderr).toContain(`the project hides events from before ${from}`)
  expect((await init(undefined)).text).not.toContain('filter')
})

test('an export of days that Mixpanel keeps on no smaller plan says so before it begins', async () => {
  const fake = await started(new FakeMixpanel({ events: [] }))
  const env = {
    MIXPANEL_PROJECT_ID: '42',
    MIXPANEL_SERVICE_ACCOUNT: fake.credentials.user,
    MIXPANEL_SERVICE_SECRET: fake.credentials.secret,
  }
  const of = (from: number) => [
    ...['--from', day(from), '--to', day(from - 2), '--out', join(makeFolder(), 'raw')],
  ]
  const run = (from: number, ...more: string[]) =>
    runHosted(['export', 'mixpanel', ...of(from), ...more, '--base-url', fake.url], env)
  const old = await exits(0, run(1000))
  expect(flat(old.stderr)).toMatch(
    /2 days of over two years ago .* Mixpanel keeps two years .* has no events in 2 days/,
  )
  expect(flat((await run(1000, '--dry-run')).stderr)).toContain('Mixpanel keeps two years')
  expect((await run(100)).stderr).not.toContain('two years')
})
