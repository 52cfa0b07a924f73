import { expect, test } from 'vitest'
import { fitOf, GroupsSeen } from '../../src/checks/groups-seen.ts'
import { headed, makeEvent } from '../helpers/events.ts'

const at = (second: number) => Date.UTC(2024, 0, 1, 0, 0, second) * 1000

function seenIn(events: readonly { at: number; event?: string; properties: object }[], since = {}) {
  const seen = new GroupsSeen(new Map(Object.entries<number>(since)))
  for (const { at: n, event, properties } of events) {
    const made = { ...makeEvent(n), ...(event && { event }), properties: { ...properties } }
    seen.look(...headed(made))
  }
  return seen
}

test('groups of events and group events are told apart, and the key of the oldest is kept', () => {
  const { types } = seenIn([
    { at: 5, properties: { $groups: { company: 'a', team: 7 } } },
    { at: 3, properties: { $groups: { company: 'b' } } },
    { at: 2, event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'c' } },
    { at: 1, properties: { nested: { $groups: { club: 'x' } } } },
    { at: 0, properties: { $groups: { company: 'd' }, $process_person_profile: false } },
  ])
  expect(Object.fromEntries(types)).toEqual({
    company: { named: 3, shown: 2, hidden: 0, oldest: at(2), key: 'c' },
    team: { named: 1, shown: 1, hidden: 0, oldest: at(5), key: '7' },
  })
})

test('of a list the service makes types that are called like its places', () => {
  const { types } = seenIn([{ at: 1, properties: { $groups: ['acme'] } }])
  expect([...types]).toEqual([['0', { named: 1, shown: 1, hidden: 0, oldest: at(1), key: 'acme' }]])
})

test('events are hidden that are older than their type, and those of its very second are not', () => {
  const events = [1, 2, 3, 4].map((second) => ({ at: second, properties: { $groups: { company: 'a' } } }))
  const { types } = seenIn(events, { company: at(3) })
  expect(types.get('company')).toMatchObject({ shown: 4, hidden: 2 })
})

test('a key that makes no group is not taken for the oldest', () => {
  const { types, longKeys } = seenIn([
    { at: 1, properties: { $groups: { company: '' } } },
    { at: 2, properties: { $groups: { company: null } } },
    { at: 3, event: '$groupidentify', properties: { $group_type: 'company', $group_key: 'k'.repeat(401) } },
    { at: 4, properties: { $groups: { company: 'a' } } },
  ])
  expect(types.get('company')).toMatchObject({ key: 'a', oldest: at(4) })
  expect(longKeys.total.count).toBe(1)
})

test.each([
  [{ company: '' }, { named: 1, shown: 0, hidden: 0, oldest: Number.POSITIVE_INFINITY, key: '' }],
  [{ company: null }, { named: 1, shown: 0, hidden: 0, oldest: Number.POSITIVE_INFINITY, key: '' }],
  [{ company: 5 }, { named: 1, shown: 1, hidden: 1, oldest: at(1), key: '5' }],
  [{ company: ['a'] }, { named: 1, shown: 1, hidden: 1, oldest: at(1), key: '["a"]' }],
  [{ company: true }, { named: 1, shown: 1, hidden: 1, oldest: at(1), key: 'true' }],
])('the group of $groups %o is what its column holds', (groups, expected) => {
  const { types } = seenIn([{ at: 1, properties: { $groups: groups } }], { company: at(3) })
  expect(types.get('company')).toEqual(expected)
})

test('a type whose keys are all empty takes its place among five, and nobody can make it first', () => {
  const empty = { events: 0, oldest: Number.POSITIVE_INFINITY }
  const sent = new Map(['a', 'b', 'c', 'd', 'e', 'f'].map((type) => [type, empty]))
  expect(fitOf(sent, [])).toMatchObject({ tooMany: [...sent.keys()], missing: [] })
})

const missing = (type: string, second: number) => ({ type, events: 3, oldest: at(second) })
test.each<[string, Record<string, number>, { name: string; since: number | null }[], object]>([
  ['a type that is there from before', { a: at(1) }, [{ name: 'a', since: at(1) }], {}],
  ['a type that is always shown', { a: at(1) }, [{ name: 'a', since: null }], {}],
  [
    'a type that is younger, of which all may be hidden',
    { a: at(1) },
    [{ name: 'a', since: at(2) }],
    { younger: [{ type: 'a', since: at(2), oldest: at(1), hidden: 3, atMost: true }] },
  ],
  [
    'types that are missing, the oldest first',
    { a: at(2), b: at(1) },
    [],
    { missing: [missing('b', 1), missing('a', 2)] },
  ],
])('%s', (_, sent, project, expected) => {
  const types = new Map(Object.entries(sent).map(([type, oldest]) => [type, { events: 3, oldest }]))
  expect(fitOf(types, project)).toEqual({ tooMany: [], younger: [], missing: [], ...expected })
})

test('a younger type that hides no event is no problem; with exact counts they are said', () => {
  const sent = new Map([['a', { events: 3, oldest: at(1) }]])
  const project = [{ name: 'a', since: at(2) }]
  expect(fitOf(sent, project, new Map([['a', 0]])).younger).toEqual([])
  expect(fitOf(sent, project, new Map([['a', 2]])).younger).toMatchObject([{ hidden: 2, atMost: false }])
})

test('a project has room for five types, its own among them', () => {
  const sent = new Map(['a', 'b', 'c'].map((type) => [type, { events: 1, oldest: at(1) }]))
  const project = (...names: string[]) => names.map((name) => ({ name, since: null }))
  expect(fitOf(sent, project('a', 'x', 'y')).tooMany).toEqual([])
  expect(fitOf(sent, project('x', 'y', 'z')).tooMany).toEqual(['x', 'y', 'z', 'a', 'b', 'c'])
  // A project that is full already takes what it has.
  expect(fitOf(sent, project('a', 'b', 'c', 'x', 'y')).tooMany).toEqual([])
})
