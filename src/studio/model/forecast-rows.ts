import { ofStorage, type StorageProblem } from '../../checks/storage-problems.ts'
import { MAX_GROUP_TYPES } from '../../checks/types-fit.ts'
import { STORAGE_WORDS } from '../../checks/words/of-storage.ts'
import { listed } from '../../checks/words/wording.ts'
import { YOUNG_HOURS } from '../../delivery/caps.ts'
import type { Mends } from '../../record/mend.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
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

/** What the service will do to the events of the sample: what it drops first, then what it changes. */
export function forecastRows(
  { made, notes, groups, storage }: MappedSample,
  { youngSince, forgets, unjoined }: ForecastFrom,
): ForecastRow[] {
  const sent = made.filter(({ event }) => event !== null)
  const events = (is: (event: MadeEvent) => boolean) => sent.filter(({ event }) => is(event!))
  const types = [...groups.types.keys()]
  const longKeys = groups.longKeys.total.count
  const big = Object.entries(notes.big_integers).sort(([, a], [, b]) => b - a)
  const rows: Array<ForecastRow | false> = [
    of(
      'dropped_events',
      'dropped',
      events(({ name }) => name === '$performance_event'),
      {
        message: 'the service accepts such events and drops them',
        remedy: 'drop or rename the event in the mapping',
      },
    ),
    of('event_too_large', 'dropped', rejectedFor(made, 'event_too_large'), {
      message: 'the service takes no event of more than about 900 kB: a transform rejects it',
      remedy: 'drop the properties that make it large',
    }),
    of('distinct_id_too_long', 'dropped', rejectedFor(made, 'distinct_id_too_long'), {
      message: 'the service keeps 200 characters of an id, which would join people: a transform rejects it',
      remedy: 'choose another member as distinct_id',
    }),
    longKeys > 0 && {
      ...plain('long_group_keys', 'dropped', longKeys),
      message: 'the service drops a group event whose key has more than 400 characters',
      remedy: 'leave such groups out, or mend the source',
    },
    types.length > MAX_GROUP_TYPES && {
      ...plain('group_types', 'dropped', types.length),
      message: `a project has room for ${MAX_GROUP_TYPES} group types: only the first to arrive are kept`,
      remedy: 'leave out the others in the mapping',
      names: types.slice(0, MOST_NAMES),
    },
    ...mendRows(notes.mends),
    ...ofStorage(storage, events(({ name }) => name === APART_EVENT).length, {}).map(storageRow),
    big.length > 0 && {
      ...plain(
        'big_integers',
        'changed',
        big.reduce((sum, [, count]) => sum + count, 0),
      ),
      message: 'the service rounds numbers over 2^53 or 17 digits',
      remedy: 'write big_integers: string in the mapping',
      names: big.slice(0, MOST_NAMES).map(([name]) => name),
    },
    of(
      'young_events',
      'billed',
      events(({ instant }) => instant >= youngSince),
      {
        message: `events younger than ${YOUNG_HOURS} hours can be billed as live events`,
        remedy: 'send them later, or leave them out with filter: to',
      },
    ),
    of(
      'forced_merges',
      'note',
      events(({ name }) => name === '$merge_dangerously'),
      {
        message: 'such events merge persons for good',
        remedy: 'be sure that the ids are of one person',
      },
    ),
    of(
      'old_events',
      'note',
      events(({ instant }) => instant < FIRST_INSTANT),
      {
        message: 'events before 2005 have most likely a wrong time',
        remedy: 'choose another member as timestamp, or leave them out with filter: from',
      },
    ),
    of(
      'odd_sessions',
      'note',
      events((event) => event.hasOddSession),
      {
        message:
          'web analytics takes only sessions with a UUID of version 7 of the 24 hours before the event',
        remedy: null,
      },
    ),
    forgets && {
      ...plain('forget', 'note', 0),
      message: 'the list of people to forget is applied by a transform, and not to this sample',
      remedy: null,
    },
    unjoined.length > 0 && {
      ...plain('unjoined', 'note', unjoined.length),
      message: 'a transform joins these tables with the records; they are too large for this page',
      remedy: null,
      names: unjoined,
    },
    sent.length > 0 && {
      ...plain('billed', 'billed', sent.length),
      message: 'historical migrations are free for projects on a paid plan',
      remedy: null,
    },
  ]
  return rows.filter((row) => row !== false)
}

const MEND_WORDS: Readonly<Record<Exclude<keyof Mends, 'big_integer'>, string>> = {
  event_name_cut: 'event names of more than 200 bytes are cut there, as the service would cut them',
  id_trimmed: 'blanks around ids are cut, as the service would cut them',
  not_finite: 'NaN and infinities, which JSON does not have, become null',
  deep_array: 'arrays nested over 8 deep, which PostHog could not query, become their own JSON text',
  lone_surrogate: 'half a character, which the service refuses, becomes U+FFFD',
  huge_number: 'a number beyond the range of doubles, which the service refuses, becomes text',
}

function mendRows(mends: Mends): ForecastRow[] {
  return (Object.keys(MEND_WORDS) as (keyof typeof MEND_WORDS)[])
    .filter((kind) => mends[kind] > 0)
    .map((kind) => ({ ...plain(kind, 'changed', mends[kind]), message: MEND_WORDS[kind], remedy: null }))
}

/** What becomes of it; all others are kept in another form. */
const STORED: Readonly<Partial<Record<StorageProblem['kind'], ForecastRow['effect']>>> = {
  dropped_properties: 'dropped',
  long_distinct_ids: 'dropped',
  person_history: 'note',
}

function storageRow({ kind, count, names = [] }: StorageProblem): ForecastRow {
  const about = { count, names, some: listed(names), isSampled: false }
  const { text, remedy = null } = STORAGE_WORDS[kind](about)
  const shown = names.slice(0, MOST_NAMES)
  return { ...plain(kind, STORED[kind] ?? 'changed', count), message: text, remedy, names: shown }
}

function rejectedFor(made: readonly SampleOutcome[], reason: string): SampleOutcome[] {
  return made.filter((one) => one.outcome === 'rejected' && one.reason === reason)
}

type Words = Pick<ForecastRow, 'message' | 'remedy'>

function of(
  code: string,
  effect: ForecastRow['effect'],
  found: readonly SampleOutcome[],
  words: Words,
): ForecastRow | false {
  const [first] = found
  if (!first) return false
  const names = commonest(found.flatMap(({ event, source }) => event?.name ?? source ?? []))
  return {
    ...plain(code, effect, found.length),
    ...words,
    names: names.slice(0, MOST_NAMES),
    record: first.record,
  }
}

function plain(code: string, effect: ForecastRow['effect'], count: number) {
  return { code, effect, count, names: [], record: null }
}
