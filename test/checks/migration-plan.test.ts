import { describe, expect, test } from 'vitest'
import { type MigrationSubject, planOf } from '../../src/checks/check-data.ts'
import type { Problem } from '../../src/checks/finding.ts'
import type { GroupTypeInEvents } from '../../src/checks/groups-seen.ts'
import { type Inspection, PeopleCount } from '../../src/checks/inspect.ts'
import { type Asked, problemsOf } from '../../src/checks/problems.ts'
import type { Spotted } from '../../src/checks/spot.ts'
import { UuidsSeen } from '../../src/checks/uuids-seen.ts'
import type { ProblemCode } from '../../src/checks/words/problem-words.ts'
import { addCounts } from '../../src/record/notes.ts'
import type { Quota } from '../../src/service/event-quota.ts'

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
    rejects: {},
    ...more,
  }
}
const none: Spotted = { count: 0, example: undefined }
const many = (count: number, example = 'an event'): Spotted => ({ count, example })
const people: Inspection['people'] = { ...new PeopleCount().total, distinctIds: 3 }
const nothing: Inspection = {
  young: none,
  youngFrom: 0,
  groups: new Map<string, GroupTypeInEvents>(),
  longGroupKeys: none,
  daysBack: 0,
  turns: 0,
  unreadable: none,
  people,
  storage: { kinds: {}, isSampled: false },
  uuids: new UuidsSeen().total,
  named: new Map(),
}
const options = {
  pace: { perMinute: 10_000, lanes: 1 },
  batchEvents: 1000,
  maxEvents: 20_000_000,
  approved: false,
}

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

/** The order among kinds is that of their finding. */
function byKind<T>(found: readonly T[]): T[] {
  return found.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
}

describe('problems', () => {
  const kinds = (
    days: Days,
    change: object = {},
    seen: object = {},
    more: object = {},
    asked: Asked = {},
  ) => {
    const manifest = manifestOf(days, more)
    const plan = planOf(manifest, { ...nothing, ...seen }, { ...options, ...change })
    return problemsOf(plan, manifest, asked)
  }
  const thereOn = (events: number, own: number, more: { others?: number; quota?: Quota } = {}) => {
    const { others = 0, quota } = more
    const days = [{ day: '2024-03-01', events, own, others }]
    return { project: { project: { id: '1', name: 'p', isEmpty: false, days, quota } } }
  }
  /** The same of a dataset, one of whose events is there under another time. */
  const held = (events: number, own: number, others: number) => {
    const { project } = thereOn(events, own, { others }).project
    return {
      project: { project: { ...project, held: { places: [], asked: 3, merges: 0, moved: 1, apart: 0 } } },
    }
  }
  const some = { '2024-03-01': { a: 5 } }
  test.each<[string, unknown, (Problem<ProblemCode> | string)[]]>([
    ['nothing', kinds(some), []],
    ['no event', kinds({}), [{ code: 'empty', count: 0 }]],
    ['20,000,000 events', kinds({ '2024-03-01': { a: 20_000_000 } }), []],
    [
      'one more',
      kinds({ '2024-03-01': { a: 20_000_001 } }),
      [
        { code: 'volume', count: 20_000_001 },
        { code: 'capped', count: 1 },
      ],
    ],
    ["more than an approved cap of one's own", kinds(some, { maxEvents: 3 }), [{ code: 'capped', count: 2 }]],
    [
      'much, approved',
      kinds({ '2024-03-01': { a: 20_000_001 } }, { maxEvents: 30_000_000, approved: true }),
      [],
    ],
    ['fast, approved', kinds(some, { pace: { perMinute: 10_001, lanes: 1 }, approved: true }), []],
    [
      '10,001 a minute',
      kinds(some, { pace: { perMinute: 10_001, lanes: 1 } }),
      [{ code: 'speed', count: 10_001 }],
    ],
    [
      'days before anybody collected events',
      kinds({ '1975-06-08': { a: 1, b: 2 }, '1970-07-18': { a: 1 }, '2005-01-01': { a: 9 } }),
      [{ code: 'old_events', count: 4, names: ['1970-07-18', '1975-06-08'] }],
    ],
    [
      'young events',
      kinds(some, {}, { young: many(3) }),
      [{ code: 'young_events', count: 3, example: 'an event' }],
    ],
    [
      'group keys over the limit',
      kinds(some, {}, { longGroupKeys: many(2) }),
      [{ code: 'long_group_keys', count: 2, example: 'an event' }],
    ],
    [
      'big integers',
      kinds(some, {}, {}, { big_integers: { few: 1, many: 9 } }),
      [{ code: 'big_integers', count: 10, names: ['many', 'few'] }],
    ],
    [
      'rejects',
      kinds(
        { '2024-03-01': { a: 63 } },
        {},
        {},
        { records: { rejected: 7 }, rejects: { a: 1, bad_json: 6 } },
        { reject: 'line 4: a' },
      ),
      [{ code: 'rejects', count: 7, names: ['bad_json', 'a'], example: 'line 4: a' }],
    ],
    [
      'more than a tenth rejected',
      kinds(
        { '2024-03-01': { a: 62 } },
        {},
        {},
        { records: { rejected: 7 }, rejects: { a: 1, bad_json: 6 } },
        { reject: 'line 4: a' },
      ),
      [{ code: 'many_rejects', count: 7, names: ['bad_json', 'a'], example: 'line 4: a' }],
    ],
    [
      'few of all records, and many beside those that an earlier dataset has not',
      kinds({ '2024-03-01': { a: 62 } }, {}, {}, { records: { rejected: 7, read: 70 }, rejects: { a: 7 } }),
      [{ code: 'rejects', count: 7, names: ['a'] }],
    ],
    [
      'mends that a reader of the events would not expect',
      kinds(some, {}, {}, { mends: { event_name_cut: 2, id_trimmed: 3, lone_surrogate: 4 } }),
      [
        { code: 'event_names_cut', count: 2 },
        { code: 'ids_trimmed', count: 3 },
      ],
    ],
    [
      'names the service acts on',
      kinds(
        { '2024-03-01': { $performance_event: 2, $merge_dangerously: 1 } },
        {},
        { named: new Map([['$performance_event', 'u1']]) },
      ),
      [
        { code: 'dropped_events', count: 2, names: ['$performance_event'], example: 'u1' },
        { code: 'forced_merges', count: 1, names: ['$merge_dangerously'] },
      ],
    ],
    [
      'days without events between others, but not before 2005',
      kinds({
        '1999-01-01': { a: 1 },
        '2024-03-01': { a: 5 },
        '2024-03-03': { a: 5 },
        '2024-03-06': { a: 5 },
      }),
      [
        { code: 'old_events', count: 1, names: ['1999-01-01'] },
        { code: 'missing_days', count: 3, names: ['2024-03-02', '2024-03-04 to 2024-03-05'] },
      ],
    ],
    [
      'events that were too large',
      kinds(
        { '2024-03-01': { a: 9 } },
        {},
        {},
        { records: { rejected: 1 }, rejects: { event_too_large: 1 } },
      ),
      [
        { code: 'large_events', count: 1 },
        { code: 'rejects', count: 1, names: ['event_too_large'] },
      ],
    ],
    [
      'people',
      kinds(some, {}, { people: { ...people, nobody: { ...many(6), ids: ['null', '0'] } } }),
      [{ code: 'nobody_ids', count: 6, names: ['null', '0'], example: 'an event' }],
    ],
    [
      'a project that is in use on these days',
      kinds(some, {}, {}, {}, thereOn(9, 2)),
      [
        { code: 'project_in_use', count: 7, names: ['2024-03-01'] },
        { code: 'already_imported', count: 2 },
      ],
    ],
    [
      'one that holds events of another import, which are no live ones',
      kinds(some, {}, {}, {}, held(9, 2, 4)),
      [
        { code: 'project_in_use', count: 3, names: ['2024-03-01'] },
        { code: 'already_imported', count: 2 },
      ],
    ],
    [
      'one that only this import has used',
      kinds(some, {}, {}, {}, thereOn(2, 2)),
      [{ code: 'already_imported', count: 2 }],
    ],
  ])('%s', (_, found, expected) => expect(byKind(found as unknown[])).toEqual(byKind<unknown>(expected)))
})
