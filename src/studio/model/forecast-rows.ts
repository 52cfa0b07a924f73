import type { Problem } from '../../checks/finding.ts'
import { ofStorage } from '../../checks/storage-seen.ts'
import { findingOfEvents, type SampleCode } from '../../checks/words/problem-words.ts'
import { guardFindings } from '../../guards/guards.ts'
import { sumOf } from '../../record/notes.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
import { commonest } from '../../text/lists.ts'
import type { ForecastRow } from '../studio-data.ts'
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

type Shared = Problem<SampleCode>

const TRANSFORM_MENDS = ['not_finite', 'deep_array', 'lone_surrogate', 'huge_number'] as const

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
    count: problem.count,
    record,
  })
  const seen = (code: Shared['code'], found: readonly SampleOutcome[]): ForecastRow[] => {
    const names = commonest(found.flatMap(({ event, source }) => event?.name ?? source ?? []))
    const [first] = found
    return first
      ? [shared({ code, count: found.length, names: names.map(([name]) => name) }, first.record)]
      : []
  }
  const counted = (code: Shared['code'], count: number, names?: readonly string[]): ForecastRow[] =>
    count > 0 ? [shared({ code, count, ...(names && { names }) })] : []
  const longIds = rejectedFor(made, 'distinct_id_too_long')
  const facts = { groups: { named: [...groups.types.keys()] } }
  const guarded = guardFindings(facts).map(({ names = [], ...finding }): ForecastRow => {
    return { ...finding, names: names.slice(0, MOST_NAMES), record: null }
  })
  const big = Object.entries(notes.big_integers).sort(([, a], [, b]) => b - a)
  const bigNames = big.map(([name]) => name)
  const young = events(({ instant }) => instant >= youngSince)
  const old = events(({ instant }) => instant < FIRST_INSTANT)
  return [
    ...seen('dropped_events', named('$performance_event')),
    ...seen('large_events', rejectedFor(made, 'event_too_large')),
    ...longIds
      .slice(0, 1)
      .map(({ record }) => shared({ code: 'distinct_id_too_long', count: longIds.length }, record)),
    ...counted('long_group_keys', groups.longKeys.total.count),
    ...guarded,
    ...counted('event_names_cut', notes.mends.event_name_cut),
    ...counted('ids_trimmed', notes.mends.id_trimmed),
    ...counted('clock_twice', notes.mends.clock_twice),
    ...counted('clock_skipped', notes.mends.clock_skipped),
    ...TRANSFORM_MENDS.flatMap((code) => counted(code, notes.mends[code])),
    ...ofStorage(storage, named(APART_EVENT).length, {}).map((problem) => shared(problem)),
    ...counted('big_integers', sumOf(notes.big_integers), bigNames),
    ...seen('young_events', young),
    ...seen('forced_merges', named('$merge_dangerously')),
    ...seen('old_events', old),
    ...(forgets ? [shared({ code: 'forget', count: 0 })] : []),
    ...counted('unjoined', unjoined.length, unjoined),
    ...counted('billed', sent.length),
  ]
}

function rejectedFor(made: readonly SampleOutcome[], reason: string): SampleOutcome[] {
  return made.filter((one) => one.outcome === 'rejected' && one.reason === reason)
}
