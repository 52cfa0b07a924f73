import { expect, test } from 'vitest'
import { projectRules } from '../../src/service/project-rules.ts'
import { oddApi } from '../helpers/api.ts'
import type { Reply } from '../helpers/odd-server.ts'

/** The answers of the project API, by the end of their path; what is absent is a 404. */
async function rulesOf(replies: Readonly<Record<string, Reply | unknown[] | object>>) {
  const { api, server } = await oddApi(({ path }) => {
    const name = path.split('?')[0]!.replace('/api/projects/7/', '')
    const reply = replies[name]
    if (reply === undefined) return { status: 404, body: { detail: 'Endpoint not found.' } }
    return 'status' in reply ? (reply as Reply) : { body: reply }
  })
  return { server, told: await projectRules({ api, projectId: '7' }) }
}

const is = (field: string, value: string) => ({ type: 'condition', field, operator: 'exact', value })
const every = { type: 'not', child: { type: 'or', children: [] } }
const page = (...results: object[]) => ({ count: results.length, next: null, results })

async function holds(replies: Parameters<typeof rulesOf>[0], rules: object[]) {
  const { told } = await rulesOf(replies)
  expect(told.rules).toMatchObject(rules)
  expect(told.rules).toHaveLength(rules.length)
}

test('an older server has none of it, and that is no news', async () => {
  expect((await rulesOf({})).told).toEqual({ rules: [], unread: [] })
})

test.each<[string, object, string[]]>([
  ['live', { mode: 'live', filter_tree: is('event_name', 'a') }, ['filters']],
  ['a dry run', { mode: 'dry_run', filter_tree: is('event_name', 'a') }, ['would_filter']],
  ['off', { mode: 'disabled', filter_tree: is('event_name', 'a') }, []],
  ['without a tree', { mode: 'live', filter_tree: null }, []],
  // NOT(nothing) would be everything: PostHog takes a tree without a condition for none.
  ['without a condition', { mode: 'live', filter_tree: every }, []],
  ['none', { status: 204, body: '' }, []],
])('an event filter: %s', async (_, filter, deeds) => {
  const { told } = await rulesOf({ 'event_filter/': filter })
  expect(told.rules.map(({ deed }) => deed)).toEqual(deeds)
  expect(told.unread).toEqual([])
})

const drops = { restriction_type: 'drop_event_from_ingestion' }
const users = { type: 'and', children: [{ type: 'or', children: [is('distinct_id', 'u')] }] }
const letters = {
  restriction_type: 'redirect_to_dlq',
  event_names: ['a', 'b'],
  pipelines: ['ai', 'analytics'],
}
test.each<[string, object, object[]]>([
  ['of an older server', { ...drops, distinct_ids: ['u'] }, [{ deed: 'drops', tree: users }]],
  ['of names', letters, [{ deed: 'drops', name: 'redirect_to_dlq' }]],
  ['of everything', { ...drops, distinct_ids: [] }, [{ deed: 'drops', tree: every }]],
  ['of recordings', { ...drops, pipelines: ['session_recordings'] }, []],
  ['of sessions', { ...drops, session_ids: ['s'] }, [{ deed: 'restricts' }]],
  ['of uuids', { ...drops, event_uuids: ['s'] }, [{ deed: 'restricts' }]],
  [
    'that delays',
    { restriction_type: 'force_overflow_from_ingestion' },
    [{ deed: 'restricts', tree: every }],
  ],
  ['that nobody knows yet', { restriction_type: 'brand_new' }, [{ deed: 'restricts' }]],
])('a restriction %s', (_, restriction, rules) =>
  holds({ 'event_ingestion_restrictions/': [restriction] }, rules),
)

test('of the event definitions, those that are enforced; an older server is asked for one page', async () => {
  const { told } = await rulesOf({
    'event_definitions/': page(
      { name: 'a', enforcement_mode: 'allow' },
      { name: 'b', enforcement_mode: 'reject' },
    ),
  })
  expect(told.rules).toEqual([{ deed: 'enforces', name: 'b', tree: is('event_name', 'b') }])
  const older = { ...page({ name: 'a' }), next: '/api/projects/7/event_definitions/?offset=1' }
  const { server } = await rulesOf({ 'event_definitions/': older })
  expect(server.asked.filter(({ path }) => path.includes('event_definitions'))).toHaveLength(1)
})

const hogFunction = { type: 'transformation', name: 'T', enabled: true }
const of = (...ids: unknown[]) => ({ filters: { events: ids.map((id) => ({ id })), properties: [] } })
test.each<[string, object, object[]]>([
  ['of all events', {}, [{ deed: 'transforms', name: 'T', tree: every }]],
  ['of names', of('a'), [{ tree: { type: 'or', children: [is('event_name', 'a')] } }]],
  ['of a name or any', of('a', null), [{ tree: every }]],
  ['that is off', { enabled: false }, []],
  ['that every project has', { template: { id: 'template-geoip' } }, []],
  ['that is a destination, from a server that does not choose', { type: 'destination' }, []],
])('a transformation %s', (_, one, rules) =>
  holds({ 'hog_functions/': page({ ...hogFunction, ...one }) }, rules),
)

test('what can not be read is said, with the scope that is lacking, and the rest is read', async () => {
  const lacks = (scope: string) => ({
    status: 403,
    body: { detail: `API key missing required scope '${scope}'` },
  })
  const { told } = await rulesOf({
    'event_filter/': lacks('event_filter:read'),
    'event_definitions/': { status: 500, body: { detail: 'A server error occurred.' } },
    'hog_functions/': page({ odd: true }),
    'event_ingestion_restrictions/': [{ restriction_type: 'drop_event_from_ingestion' }],
  })
  expect(told.rules).toHaveLength(1)
  expect(told.unread).toEqual([
    expect.stringMatching(/^event definitions \(.*500/),
    'event filters (scope event_filter:read)',
    expect.stringMatching(/^transformations \(.*not as expected/),
  ])
})
