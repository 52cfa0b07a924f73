import { expect, test } from 'vitest'
import type { SandboxOptions } from '../../src/sandbox/options.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { madeDataset } from '../helpers/made-dataset.ts'
import { sandboxEnv, testSandbox } from '../helpers/sandbox-env.ts'

/** A project that drops events after it has acknowledged them: that is said before the first is sent. */

type Rules = NonNullable<SandboxOptions['eventRules']>
type Tree = NonNullable<NonNullable<Rules['filter']>['filter_tree']>

const event = (n: number, name: string, id: string, properties: object = {}) => ({
  uuid: `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  event: name,
  distinct_id: id,
  timestamp: `2024-03-01T00:00:${String(n).padStart(2, '0')}Z`,
  properties: { n, ...properties },
})
const HISTORY = [
  event(1, 'signup', 'ann', { plan: 'free' }),
  event(2, 'signup', 'bob'),
  event(3, 'paid', 'ann'),
  event(4, 'paid', 'bot-7'),
  event(5, 'left', 'bob'),
]

const name = (value: string): Tree => ({ type: 'condition', field: 'event_name', operator: 'exact', value })
const bots: Tree = { type: 'condition', field: 'distinct_id', operator: 'contains', value: 'bot-' }

async function world(eventRules: Rules, more: SandboxOptions = {}) {
  const sandbox = await testSandbox({ eventRules, ...more })
  const { raw, dataset } = await madeDataset(HISTORY)
  const there = async () =>
    (await sandbox.query('SELECT event, distinct_id FROM events ORDER BY ALL')).results
  return { sandbox, env: sandboxEnv(sandbox), raw, dataset, there }
}

/** Text without its folds. */
const flat = (text: string) => text.replace(/\s+/g, ' ')

interface Case {
  readonly rules: Rules
  readonly code: string
  readonly said: string
  /** What is left of the five events. */
  readonly left: number
}

const CASES: readonly Case[] = [
  {
    rules: { filter: { mode: 'live', filter_tree: { type: 'or', children: [name('left'), bots] } } },
    code: 'filtered_events',
    said: "the project's event filter drops 2 events (left 1, paid 1): PostHog takes them and says Ok",
    left: 3,
  },
  {
    rules: {
      restrictions: [
        { restriction_type: 'drop_event_from_ingestion', distinct_ids: ['ann'], event_names: ['paid'] },
      ],
    },
    code: 'restricted_events',
    said: 'a restriction of the project (drop_event_from_ingestion) drops 1 event (paid 1)',
    left: 4,
  },
  {
    rules: { restrictions: [{ restriction_type: 'redirect_to_dlq', event_names: ['signup'] }] },
    code: 'restricted_events',
    said: 'a restriction of the project (redirect_to_dlq) drops 2 events (signup 2)',
    left: 3,
  },
  {
    rules: { enforced: { signup: { plan: 'String' }, other: { x: 'Numeric' } } },
    code: 'enforced_events',
    said: 'the project enforces a schema of 2 events (signup 2): PostHog takes them, says Ok, and drops those that do not fit it',
    left: 4,
  },
]

test.each(CASES)('$code: what the project drops stops an import, and is told before', async (one) => {
  const { rules, code, said, left } = one
  const { sandbox, env, raw, dataset, there } = await world(rules)
  for (const line of [
    ['check', dataset],
    ['check', '--file', raw],
    ['doctor', '--dataset', dataset],
    ['import', '--dataset', dataset, '--dry-run'],
    ['import', '--file', raw, '--dry-run'],
    ['import', '--dataset', dataset],
    ['import', '--file', raw],
  ]) {
    const found = await runHosted(line, env)
    expect(flat(found.stderr + found.stdout), line.join(' ')).toContain(said)
    expect(flat(found.stderr + found.stdout), line.join(' ')).toContain(`--accept ${code}`)
    expect(found.code, line.join(' ')).toBe(3)
  }
  expect(sandbox.stats().events).toBe(0)
  // Accepted, all are acknowledged, and what was said is not there.
  const sent = await exits(0, runHosted(['import', '--dataset', dataset, '--accept', code, '--json'], env))
  expect(JSON.parse(sent.stdout).counts).toMatchObject({ written: 5, rejected: 0 })
  expect(await there()).toHaveLength(left)
})

test('what would drop, or may change events is a warning, and they arrive', async () => {
  const { env, dataset, there } = await world({
    filter: {
      mode: 'dry_run',
      filter_tree: { type: 'and', children: [name('paid'), { type: 'not', child: bots }] },
    },
    restrictions: [{ restriction_type: 'skip_person_processing', distinct_ids: ['bob'] }],
    transformations: [
      { name: 'Lower case', enabled: true, filters: { events: [{ id: 'signup' }] } },
      { name: 'GeoIP', enabled: true, template: { id: 'template-geoip' }, filters: {} },
      { name: 'Off', enabled: false, filters: {} },
    ],
  })
  const sent = await exits(0, runHosted(['import', '--dataset', dataset], env))
  expect(flat(sent.stderr)).toContain(
    "the project's event filter is a dry run, and would drop 1 event (paid 1)",
  )
  expect(flat(sent.stderr)).toContain(
    'a restriction of the project (skip_person_processing) is about up to 2 events',
  )
  expect(flat(sent.stderr)).toContain(
    'up to 2 events (signup 2) pass through transformations of the project (Lower case)',
  )
  expect(await there()).toHaveLength(5)
})

test('what transformations drop or change is found by verify, which names the one that drops', async () => {
  const named = (id: string) => ({ events: [{ id }] })
  const { env, dataset, there } = await world({
    transformations: [
      { name: 'No \u{1f916}', template: { id: 'template-drop-events' }, filters: named('paid') },
      {
        ...{ name: 'Plans', template: { id: 'template-filter-properties' }, filters: named('signup') },
        inputs: { propertiesToFilter: { value: 'plan' } },
      },
    ],
  })
  await exits(0, runHosted(['import', '--dataset', dataset], env))
  expect(await there()).toHaveLength(3)
  const verified = await exits(3, runHosted(['verify', dataset], env))
  const text = flat(verified.stderr)
  expect(text).toContain('2 are missing')
  expect(text).toContain('event_dropped_by_transformation (up to 2 events)')
  expect(text).not.toContain('mistyped')
  expect(text).toMatch(/2 sampled, such as \S+: a transformation of the project drops it \(No \u{1f916}\)/u)
  expect(flat(verified.stdout)).toMatch(/plan.*free/)
})

test('what a key may not read is said once, and stops nothing', async () => {
  const key = 'phx_few'
  const scopes = ['project:read', 'query:read', 'group:read', 'ingestion_warning:read']
  const filter = { mode: 'live', filter_tree: name('paid') } as const
  const { env: all, dataset } = await world({ filter }, { personalKeys: [{ key, scopes }] })
  const env = { ...all, POSTHOG_PERSONAL_API_KEY: key }
  const unread =
    'this personal key could not read everything that may drop or change events: event definitions (scope event_definition:read), event filters (scope event_filter:read), transformations (scope hog_function:read)'
  for (const line of [
    ['check', dataset],
    ['doctor', '--dataset', dataset],
    ['import', '--dataset', dataset],
  ]) {
    const found = await exits(0, runHosted(line, env))
    expect(flat(found.stderr + found.stdout).split(unread), line.join(' ')).toHaveLength(2)
  }
})
