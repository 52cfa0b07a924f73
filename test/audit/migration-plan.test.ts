import { describe, expect, test } from 'vitest'
import type { GroupSeen } from '../../src/audit/groups-seen.ts'
import { type MigrationSubject, planOf } from '../../src/audit/migration-plan.ts'
import { type Problem, problemsOf } from '../../src/audit/problems.ts'
import { addCounts } from '../../src/record/notes.ts'

type Days = Readonly<Record<string, Readonly<Record<string, number>>>>
const manifestOf = (byName: Days, more: Partial<MigrationSubject> = {}): MigrationSubject => {
  const days: Record<string, number> = {}
  const names: Record<string, number> = {}
  for (const [day, tally] of Object.entries(byName)) {
    addCounts(names, tally)
    days[day] = Object.values(tally).reduce((sum, n) => sum + n, 0)
  }
  return {
    source: {},
    parts: [],
    records: { rejected: 0 },
    days,
    names,
    other_names: 0,
    big_integers: {},
    mends: {},
    ...more,
  }
}
const nothing = {
  young: 0,
  groups: new Map<string, GroupSeen>(),
  longGroupKeys: 0,
  batches: 0,
  daysBack: 0,
  unreadable: 0,
  oddSessions: 0,
}
const options = { pace: { perMinute: 10_000, lanes: 1 }, batchEvents: 1000, maxEvents: 20_000_000 }

describe('the plan', () => {
  test('adds up days and names', () => {
    const days = { '2024-03-02': { a: 101 }, '2024-03-01': { a: 1, b: 250 } }
    const plan = planOf(manifestOf(days), nothing, options)
    expect(plan).toMatchObject({
      events: 352,
      days: 2,
      span: { first: '2024-03-01', last: '2024-03-02' },
      names: { a: 102, b: 250 },
    })
  })

  test.each([
    [10_000, 1, 588_000, 60],
    [10_000, 8, 588_000, 60],
    [60_000, 1, 3_528_000, 60],
  ])('%i a minute over %i lanes: %i events take %i minutes', (perMinute, lanes, events, minutes) => {
    const plan = planOf(manifestOf({ '2024-03-01': { a: events } }), nothing, {
      ...options,
      pace: { perMinute, lanes },
    })
    expect(plan.ms / 60_000).toBeCloseTo(minutes, 6)
  })
})

describe('problems', () => {
  const kinds = (days: Days, change: object = {}, seen: object = {}, more: object = {}) => {
    const manifest = manifestOf(days, more)
    return problemsOf(planOf(manifest, { ...nothing, ...seen }, { ...options, ...change }), manifest)
  }
  const some = { '2024-03-01': { a: 5 } }
  const types = (count: number) =>
    new Map(Array.from({ length: count }, (_, i) => [`type-${i}`, { named: 1 }]))

  test.each<[string, unknown, (Problem | string)[]]>([
    ['nothing', kinds(some), []],
    ['no event', kinds({}), [{ kind: 'empty', level: 'warning', count: 0 }]],
    ['20,000,000 events', kinds({ '2024-03-01': { a: 20_000_000 } }), []],
    [
      'one more',
      kinds({ '2024-03-01': { a: 20_000_001 } }),
      [
        { kind: 'volume', level: 'warning', count: 20_000_001 },
        { kind: 'capped', level: 'warning', count: 1 },
      ],
    ],
    [
      "more than an approved cap of one's own",
      kinds(some, { maxEvents: 3 }),
      [{ kind: 'capped', level: 'warning', count: 2 }],
    ],
    [
      '10,001 a minute',
      kinds(some, { pace: { perMinute: 10_001, lanes: 1 } }),
      [{ kind: 'speed', level: 'warning', count: 10_001 }],
    ],
    [
      'days before anybody collected events',
      kinds({ ...some, '1975-06-08': { a: 1, b: 2 }, '1970-07-18': { a: 1 }, '2005-01-01': { a: 9 } }),
      [{ kind: 'old_events', level: 'warning', count: 4, names: ['1970-07-18', '1975-06-08'] }],
    ],
    ['young events', kinds(some, {}, { young: 3 }), [{ kind: 'young_events', level: 'warning', count: 3 }]],
    ['five group types', kinds(some, {}, { groups: types(5) }), []],
    [
      'six',
      kinds(some, {}, { groups: types(6) }),
      [{ kind: 'group_types', level: 'error', count: 6, names: [...types(6).keys()] }],
    ],
    [
      'group keys over the limit',
      kinds(some, {}, { longGroupKeys: 2 }),
      [{ kind: 'long_group_keys', level: 'error', count: 2 }],
    ],
    [
      'errors, which come first',
      kinds(some, { maxEvents: 3 }, { longGroupKeys: 2 }).map(({ level }) => level),
      ['error', 'warning'],
    ],
    [
      'big integers',
      kinds(some, {}, {}, { big_integers: { few: 1, many: 9 } }),
      [{ kind: 'big_integers', level: 'warning', count: 10, names: ['many', 'few'] }],
    ],
    [
      'rejects',
      kinds(some, {}, {}, { records: { rejected: 7 } }),
      [{ kind: 'rejects', level: 'note', count: 7 }],
    ],
    [
      'sessions that web analytics ignores',
      kinds(some, {}, { oddSessions: 4 }),
      [{ kind: 'odd_sessions', level: 'warning', count: 4 }],
    ],
    [
      'mends that a reader of the events would not expect',
      kinds(some, {}, {}, { mends: { event_name_cut: 2, id_trimmed: 3, lone_surrogate: 4 } }),
      [
        { kind: 'event_names_cut', level: 'note', count: 2 },
        { kind: 'ids_trimmed', level: 'note', count: 3 },
      ],
    ],
    [
      'names the service acts on',
      kinds({ '2024-03-01': { $performance_event: 2, $merge_dangerously: 1 } }),
      [
        { kind: 'dropped_events', level: 'error', count: 2, names: ['$performance_event'] },
        { kind: 'forced_merges', level: 'warning', count: 1, names: ['$merge_dangerously'] },
      ],
    ],
  ])('%s', (_, found, expected) => expect(found).toEqual(expected))
})
