import {
  type EVENT_WORDS,
  type Finding,
  findingOfEvents,
  MAX_GROUP_TYPES,
  ofStorage,
  type Problem,
} from '../../checks/index.ts'
import { APART_EVENT, type Mends } from '../../record/index.ts'
import { plural } from '../../text/index.ts'
import { remedyOf } from '../remedies.ts'
import type { ForecastRow } from '../studio-data.ts'
import { commonest } from './event-rows.ts'
import type { MadeEvent, MappedSample, SampleOutcome } from './mapped-sample.ts'

/** No vendor that posthaul reads from is older: an event before this day has a wrong time. */
const FIRST_INSTANT = Date.UTC(2005, 0, 1) * 1000
const MOST_NAMES = 20

/** What the forecast depends on besides the sample. */
export interface ForecastFrom {
  /** The instant (microseconds) from which events count as young. */
  readonly youngSince: number
  /** True for a mapping file that names a list of people to forget. */
  readonly forgets: boolean
  /** Tables that are too large to be joined to a sample. */
  readonly unjoined: readonly string[]
}

/** A finding that `check` has too, and the same words. */
type Shared = Problem<keyof typeof EVENT_WORDS>
type Effect = ForecastRow['effect']

/** What becomes of the events; what is not named here is kept in another form. */
const EFFECTS: Readonly<Partial<Record<Shared['kind'], Effect>>> = {
  dropped_events: 'dropped',
  large_events: 'dropped',
  long_group_keys: 'dropped',
  group_types: 'dropped',
  dropped_properties: 'dropped',
  long_distinct_ids: 'dropped',
  young_events: 'billed',
  person_history: 'note',
  forced_merges: 'note',
  old_events: 'note',
  odd_sessions: 'note',
}

/** What the service will do to the events of the sample: what it drops first, then what it changes. */
export function forecastRows(
  { made, notes, groups, storage }: MappedSample,
  { youngSince, forgets, unjoined }: ForecastFrom,
): ForecastRow[] {
  const sent = made.filter(({ event }) => event !== null)
  const events = (is: (event: MadeEvent) => boolean) => sent.filter(({ event }) => is(event!))
  const named = (name: string) => events((event) => event.name === name)
  const shared = (problem: Shared, record: number | null = null): ForecastRow => ({
    ...findingOfEvents(problem, youngSince),
    names: (problem.names ?? []).slice(0, MOST_NAMES),
    effect: EFFECTS[problem.kind] ?? 'changed',
    count: problem.count,
    record,
  })
  const seen = (kind: Shared['kind'], found: readonly SampleOutcome[]): ForecastRow[] => {
    const names = commonest(found.flatMap(({ event, source }) => event?.name ?? source ?? []))
    return found.length === 0 ? [] : [shared({ kind, count: found.length, names }, found[0]!.record)]
  }
  const counted = (kind: Shared['kind'], count: number, names?: readonly string[]): ForecastRow[] =>
    count > 0 ? [shared({ kind, count, ...(names && { names }) })] : []
  const types = [...groups.types.keys()]
  const big = Object.entries(notes.big_integers).sort(([, a], [, b]) => b - a)
  return [
    ...seen('dropped_events', named('$performance_event')),
    ...seen('large_events', rejectedFor(made, 'event_too_large')),
    ...longIds(rejectedFor(made, 'distinct_id_too_long')),
    ...counted('long_group_keys', groups.longKeys.total.count),
    ...counted('group_types', types.length > MAX_GROUP_TYPES ? types.length : 0, types),
    ...counted('event_names_cut', notes.mends.event_name_cut),
    ...counted('ids_trimmed', notes.mends.id_trimmed),
    ...mendRows(notes.mends),
    ...ofStorage(storage, named(APART_EVENT).length, {}).map((problem) => shared(problem)),
    ...counted(
      'big_integers',
      big.reduce((sum, [, count]) => sum + count, 0),
      big.map(([name]) => name),
    ),
    ...seen(
      'young_events',
      events(({ instant }) => instant >= youngSince),
    ),
    ...seen('forced_merges', named('$merge_dangerously')),
    ...seen(
      'old_events',
      events(({ instant }) => instant < FIRST_INSTANT),
    ),
    ...seen(
      'odd_sessions',
      events((event) => event.hasOddSession),
    ),
    ...(forgets ? [own('forget', 'note', 0, FORGET)] : []),
    ...(unjoined.length > 0
      ? [{ ...own('unjoined', 'note', unjoined.length, UNJOINED), names: unjoined }]
      : []),
    ...(sent.length > 0 ? [own('billed', 'billed', sent.length, FREE)] : []),
  ]
}

const FORGET = 'the list of people to forget is applied by a transform, and not to this sample'
const UNJOINED = 'a transform joins these tables with the records; they are too large for this page'
const FREE = 'historical migrations are free for projects on a paid plan'

/** Mends that only a transform makes, each for one value. */
const MEND_WORDS: Readonly<Partial<Record<keyof Mends, string>>> = {
  not_finite: 'NaN and infinities, which JSON does not have, become null',
  deep_array: 'arrays nested over 8 deep, which PostHog could not query, become their own JSON text',
  lone_surrogate: 'half a character, which the service refuses, becomes U+FFFD',
  huge_number: 'a number beyond the range of doubles, which the service refuses, becomes text',
}

function mendRows(mends: Mends): ForecastRow[] {
  return (Object.keys(MEND_WORDS) as (keyof Mends)[])
    .filter((kind) => mends[kind] > 0)
    .map((kind) => own(kind, 'changed', mends[kind], `${MEND_WORDS[kind]!} (${plural(mends[kind], 'time')})`))
}

function longIds(found: readonly SampleOutcome[]): ForecastRow[] {
  const [first] = found
  if (!first) return []
  const text = `${plural(found.length, 'record')} with a distinct_id that the service would cut, which would join people: a transform rejects ${found.length === 1 ? 'it' : 'them'}`
  const remedy = remedyOf('distinct_id_too_long')
  const row = own('distinct_id_too_long', 'dropped', found.length, text)
  return [{ ...row, level: 'warning', remedy, record: first.record }]
}

function rejectedFor(made: readonly SampleOutcome[], reason: string): SampleOutcome[] {
  return made.filter((one) => one.outcome === 'rejected' && one.reason === reason)
}

/** A finding of the studio alone. */
function own(kind: string, effect: Effect, count: number, text: string): ForecastRow {
  const finding: Finding = { kind, level: 'note', text }
  return { ...finding, effect, count, record: null }
}
