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

/** `rejects 7: a, b (line 4: a)`; in alphabetical order, for that of the kinds is that of their finding. */
function words(found: readonly Problem<ProblemCode>[]): string[] {
  return found
    .map(({ code, count, names, example }) =>
      [`${code} ${count}`, names && `: ${names.join(', ')}`, example && ` (${example})`].join(''),
    )
    .sort()
}

interface Case {
  readonly days?: Days
  readonly change?: object
  readonly seen?: object
  readonly more?: object
  readonly asked?: Asked
}

describe('problems', () => {
  const day = '2024-03-01'
  const thereOn = (events: number, own: number, others = 0, more: object = {}) => ({
    project: {
      project: {
        id: '1',
        name: 'p',
        isEmpty: false,
        days: [{ day, events, own, others }],
        quota: undefined,
        ...more,
      },
    },
  })
  /** A dataset is there already, one of whose events is there under another time. */
  const held = { held: { places: [], asked: 3, merges: 0, moved: 1, apart: 0 } }
  const bad = { records: { rejected: 7 }, rejects: { a: 1, bad_json: 6 } }
  const reject = 'line 4: a'
  test.each<[string, Case, string[]]>([
    ['nothing', {}, []],
    ['no event', { days: {} }, ['empty 0']],
    ['20,000,000 events', { days: { [day]: { a: 20_000_000 } } }, []],
    ['one more', { days: { [day]: { a: 20_000_001 } } }, ['capped 1', 'volume 20000001']],
    ["more than an approved cap of one's own", { change: { maxEvents: 3 } }, ['capped 2']],
    [
      'much, approved',
      { days: { [day]: { a: 20_000_001 } }, change: { maxEvents: 30_000_000, approved: true } },
      [],
    ],
    ['fast, approved', { change: { pace: { perMinute: 10_001, lanes: 1 }, approved: true } }, []],
    ['10,001 a minute', { change: { pace: { perMinute: 10_001, lanes: 1 } } }, ['speed 10001']],
    [
      'days before anybody collected events',
      { days: { '1975-06-08': { a: 1, b: 2 }, '1970-07-18': { a: 1 }, '2005-01-01': { a: 9 } } },
      ['old_events 4: 1970-07-18, 1975-06-08'],
    ],
    ['young events', { seen: { young: many(3) } }, ['young_events 3 (an event)']],
    ['group keys over the limit', { seen: { longGroupKeys: many(2) } }, ['long_group_keys 2 (an event)']],
    ['big integers', { more: { big_integers: { few: 1, many: 9 } } }, ['big_integers 10: many, few']],
    [
      'rejects',
      { days: { [day]: { a: 63 } }, more: bad, asked: { reject } },
      ['rejects 7: bad_json, a (line 4: a)'],
    ],
    [
      'more than a tenth rejected',
      { days: { [day]: { a: 62 } }, more: bad, asked: { reject } },
      ['many_rejects 7: bad_json, a (line 4: a)'],
    ],
    [
      'few of all records, and many beside those that an earlier dataset has not',
      { days: { [day]: { a: 62 } }, more: { records: { rejected: 7, read: 70 }, rejects: { a: 7 } } },
      ['rejects 7: a'],
    ],
    [
      'mends that a reader of the events would not expect',
      { more: { mends: { event_name_cut: 2, id_trimmed: 3, lone_surrogate: 4 } } },
      ['event_names_cut 2', 'ids_trimmed 3'],
    ],
    [
      'names the service acts on',
      {
        days: { [day]: { $performance_event: 2, $merge_dangerously: 1 } },
        seen: { named: new Map([['$performance_event', 'u1']]) },
      },
      ['dropped_events 2: $performance_event (u1)', 'forced_merges 1: $merge_dangerously'],
    ],
    [
      'days without events between others, but not before 2005',
      { days: { '1999-01-01': { a: 1 }, [day]: { a: 5 }, '2024-03-03': { a: 5 }, '2024-03-06': { a: 5 } } },
      ['missing_days 3: 2024-03-02, 2024-03-04 to 2024-03-05', 'old_events 1: 1999-01-01'],
    ],
    [
      'events that were too large',
      { days: { [day]: { a: 9 } }, more: { records: { rejected: 1 }, rejects: { event_too_large: 1 } } },
      ['large_events 1', 'rejects 1: event_too_large'],
    ],
    [
      'people',
      { seen: { people: { ...people, nobody: { ...many(6), ids: ['null', '0'] } } } },
      ['nobody_ids 6: null, 0 (an event)'],
    ],
    [
      'a project that is in use on these days',
      { asked: thereOn(9, 2) },
      ['already_imported 2', 'project_in_use 7: 2024-03-01'],
    ],
    [
      'one that holds events of another import, which are no live ones',
      { asked: thereOn(9, 2, 4, held) },
      ['already_imported 2', 'project_in_use 3: 2024-03-01'],
    ],
    ['one that only this import has used', { asked: thereOn(2, 2) }, ['already_imported 2']],
  ])('%s', (_, { days = { [day]: { a: 5 } }, change, seen, more, asked = {} }, expected) => {
    const manifest = manifestOf(days, more)
    const plan = planOf(manifest, { ...nothing, ...seen }, { ...options, ...change })
    expect(words(problemsOf(plan, manifest, asked))).toEqual(expected)
  })
})
