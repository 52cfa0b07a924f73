import { ALL_HIDDEN, hiddenText, isAllHidden } from '../../checks/words/of-service.ts'
import { causeText, warningLines } from '../../checks/words/warnings.ts'
import type { VerifyResult } from '../../imports/verify-result.ts'
import { MERGED_UNTIL, MERGING } from '../../record/merging.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
import { fold, hung } from '../../text/fold.ts'
import type { Column } from '../../text/table.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import type { RowView } from '../rows.ts'

type Difference = VerifyResult['differences'][number]
type Named = VerifyResult['missing'][number]
type Values = NonNullable<VerifyResult['values']>
type Persons = NonNullable<VerifyResult['persons']>

const COLUMNS: readonly Column<Difference>[] = [
  { title: 'day', cell: ({ day }) => day, whole: true },
  { title: 'event', cell: ({ event }) => event ?? '(all of the day)' },
  { title: 'here', cell: ({ here }) => here, side: 'right', whole: true },
  { title: 'service', cell: ({ service }) => service, side: 'right', whole: true },
  { title: 'missing', cell: ({ missing }) => missing, side: 'right', whole: true },
  { title: 'unknown', cell: ({ unknown }) => unknown, side: 'right', whole: true },
]

const MOVED: Column<Difference> = {
  title: 'other time',
  cell: ({ moved }) => moved,
  side: 'right',
  whole: true,
}

/** Days and names that differ, as a table. */
export function differencesView({ differences }: VerifyResult): RowView<Difference> {
  const columns = differences.some(({ moved }) => (moved ?? 0) > 0) ? [...COLUMNS, MOVED] : COLUMNS
  return { tableColumns: () => columns }
}

/** Of each kind, so many events are shown. The file, or the JSON, has more. */
const MOST_SHOWN = 20
const MOST_VALUE = 60

/** The events that differ, a line each: those that are missing, those that nobody here sent, and other values. */
export function* eventLines({ missing, unknown, doubled, values }: VerifyResult): Generator<string> {
  yield* shown('missing', missing)
  yield* shown('unknown', unknown)
  yield* twiceLines(doubled)
  const changes = values?.changes ?? []
  for (const change of changes.slice(0, MOST_SHOWN)) {
    yield `changed  ${eventText(change)}\n         ${changeText(change)}\n`
  }
  yield* more(changes.length)
}

function* twiceLines(doubled: VerifyResult['doubled']): Generator<string> {
  for (const { day, event, more, uuid, times } of doubled.slice(0, MOST_SHOWN)) {
    const name = event === null ? 'several names' : cut(event)
    yield `${visible(`twice    ${day}  ${name}  ${number(more)} more, such as ${uuid}`)}\n`
    yield `         at ${times.join(' and at ')}\n`
  }
  yield* more(doubled.length)
}

function* shown(kind: string, events: readonly Named[]): Generator<string> {
  for (const event of events.slice(0, MOST_SHOWN)) yield `${kind}  ${eventText(event)}\n`
  yield* more(events.length)
}

function* more(count: number): Generator<string> {
  if (count > MOST_SHOWN) yield `         and ${number(count - MOST_SHOWN)} more: see --json\n`
}

function eventText({ day, event, uuid, distinct_id }: Named): string {
  return visible(`${day}  ${uuid}  ${cut(event)}  ${cut(distinct_id)}`)
}

function changeText({ property, here, service }: Values['changes'][number]): string {
  return visible(`${cut(property)}: ${value(here)} here, ${value(service)} in the service`)
}

function value(json: string | null): string {
  return json === null ? 'nothing' : cut(json)
}

function cut(text: string): string {
  return text.length > MOST_VALUE ? `${text.slice(0, MOST_VALUE)}…` : text
}

/** The totals, and what a difference can mean. */
export function verifyLines(result: VerifyResult): string[] {
  const { values, persons } = result
  return [
    ...fold(`verify: ${totals(result)}`, '  ', ''),
    ...comparedLines(result.events),
    ...(result.differences.length > 0 ? reasons(result, thereOtherwise(result)) : []),
    ...(result.missing_file === null ? [] : hung(`the missing events are in ${result.missing_file}`)),
    ...doubledLines(result),
    ...apartLines(result.events),
    ...(result.hidden ? hung(hiddenText(result.hidden)) : []),
    ...unreadableText(result),
    ...wholeLines(result),
    ...(values ? valueLines(values) : []),
    ...(persons ? peopleLines(persons) : []),
    ...(result.ingestion_warnings ? warningLines(result.ingestion_warnings) : []),
    ...result.unasked.flatMap((what) => hung(`could not be asked: ${visible(what)}`)),
    ...othersLines(result.events),
  ]
}

const TWICE_MERGED =
  `${MERGED_UNTIL}. ` +
  'A server that was not changed merges them later: verify again. Where it was, they stay: charts count both'

function totals(result: VerifyResult): string {
  const { equal, days, events: sums, differences, doubled, unreadable, hidden } = result
  const { here, service, missing, unknown, moved } = sums
  const events = `${plural(here, 'event')} in ${plural(days, 'day')}`
  const counts = `${events} here, ${number(service)} in the service`
  const isSame = differences.length === 0
  if (isSame && unreadable > 0) return counts
  if (isAllHidden(result)) return ALL_HIDDEN
  if (isSame && here === 0 && (sums.apart > 0 || hidden)) return 'no event could be compared'
  if (isSame && doubled.length > 0)
    return `${events}: ${here === 1 ? 'it is' : 'all are'} there, some more than once`
  if (isSame) {
    return `${equal ? 'equal: ' : ''}${events}: ${here === 1 ? 'it is' : 'all are'} there, exactly`
  }
  if (missing === null || unknown === null || moved === null)
    return `${plural(differences.length, 'difference')}: ${counts}`
  const found = here - missing - moved
  const parts = [
    `${events}: ${number(found)} ${is(found)} there, exactly`,
    `${number(missing)} ${is(missing)} missing`,
    `${number(moved)} ${is(moved)} there at another time of ${moved === 1 ? 'its' : 'their'} day`,
    `${number(unknown)} ${is(unknown)} there that nobody here sent`,
  ]
  return parts.filter((_, n) => [1, missing, moved, unknown][n]! > 0).join('; ')
}

function is(count: number): string {
  return count === 1 ? 'is' : 'are'
}

/** Says what the fingerprints cover, and which events are there at another time. */
function comparedLines({ service, moved, rounded }: VerifyResult['events']): string[] {
  if (service === 0) return []
  const cut =
    rounded === 0 ? '' : `; of ${plural(rounded, 'event')} PostHog keeps the time to the millisecond`
  const lines = hung(`compared: id, person, name and time of every event, on these days alone${cut}`)
  if ((moved ?? 0) === 0) return lines
  const text =
    'at another time: the same events, at other times of their day. Another tool sent them, or ours from a mapping with ' +
    'another zone or form of times. Sent again, they would be there twice'
  return [...lines, ...hung(text)]
}

/** Says what is there under two times, and since when that counts. */
function doubledLines({ doubled: [first], events: { doubled: twice } }: VerifyResult): string[] {
  if (!first) return []
  const count = `there twice: PostHog counts ${plural(twice, 'event')} more than there are, because it has some under two times of a day`
  return [
    ...hung(count),
    ...fold(TWICE_MERGED, '    ', '    '),
    ...fold(`which record is it: posthaul explain <raw> --uuid ${first.uuid}`, '    ', '    '),
  ]
}

/** Says what nothing was compared with. */
function apartLines({ apart }: VerifyResult['events']): string[] {
  if (apart === 0) return []
  const text = `apart: ${plural(apart, 'event')} named ${APART_EVENT} ${apart === 1 ? 'was' : 'were'} compared with nothing: since ${MERGING.changed} PostHog keeps them in a table that queries of events don't show`
  return hung(text)
}

/** Says which lines of a dataset can't have arrived. */
function unreadableText({ unreadable: count, unreadable_in: part }: VerifyResult): string[] {
  if (count === 0) return []
  const [are, them] = count === 1 ? ['is no event line', 'it'] : ['are no event lines', 'them']
  const text = `${plural(count, 'line')} of the dataset ${are}, or with a time that can't be read, such as in ${part}: import rejected ${them}`
  return hung(visible(text))
}

/** How many of the missing events have their id among those that are there, as far as both are named. */
export function thereOtherwise({ missing, unknown }: VerifyResult): number {
  const ids = new Set(unknown.map(({ uuid }) => uuid))
  return missing.filter(({ uuid }) => ids.has(uuid)).length
}

function reasons({ differences, likely_causes: causes, events }: VerifyResult, otherwise: number): string[] {
  const known = causes.filter(({ cause }) => cause !== 'not_arrived_yet')
  const lines =
    known.length > 0 ? hung(`likely why events are missing: ${known.map(causeText).join('; ')}`) : []
  const short = differences.filter(({ missing, here, service }) => (missing ?? here - service) > 0)
  if (otherwise > 0) {
    const text =
      `under another person, name or day: ${number(otherwise)} of the missing events, by ${otherwise === 1 ? 'its id' : 'their ids'}. ` +
      'Another tool sent them so, or ours by another mapping. Sent again, they would be there twice'
    lines.push(...hung(text))
  }
  const isLate = causes.some(({ cause }) => cause === 'not_arrived_yet')
  if (short.length > 0 && isLate && events.missing !== otherwise) {
    lines.push(
      '  fewer in the service: the import is not finished (see posthaul status), or the',
      '    service still processes its events: that takes minutes, after a large import',
      '    hours. Verify again later, or with --wait 10m.',
    )
    if (events.service === 0) {
      lines.push(
        '    If all events are missing, the project key was mistyped, or it belongs to',
        '    another project or region: the service acknowledges events under any key.',
      )
    }
  }
  const isMore = differences.some(({ unknown, here, service }) => (unknown ?? service - here) > 0)
  if (isMore && events.unknown !== otherwise) {
    lines.push(
      '  more in the service: other events arrived as well: live ones, an earlier',
      '    import, or a dataset with the same days, such as mended rejects (name both)',
    )
  }
  return lines
}

function valueLines(values: Values): string[] {
  const { compared, absent, changed, unparseable, known_changes: known } = values
  const found = compared - absent
  const events = `${plural(found, 'event')} compared`
  const first =
    changed === 0
      ? `values: ${events}, as ${found === 1 ? 'it was' : 'they were'} sent`
      : `values: ${events}: ${number(changed)} ${changed === 1 ? 'has' : 'have'} other values than were sent`
  const kinds = Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1))
  const own = kinds.map(([kind, count]) => `${kind.replaceAll('_', ' ')} ${number(count)}`).join(', ')
  return [
    ...hung(first),
    ...(changed === 0 ? [] : fold(SENT_AGAIN, '    ', '    ')),
    ...(unparseable === 0
      ? []
      : fold(
          `UNREADABLE: ${plural(unparseable, 'event')} of them ${unparseable === 1 ? 'keeps' : 'keep'} ${UNREADABLE}`,
          '    ',
          '    ',
        )),
    ...(own === '' ? [] : fold(`changed by the service as it always does: ${own}`, '    ', '    ')),
  ]
}

const SENT_AGAIN =
  'If you sent these events again with other values, PostHog shows the old ones until it has merged both, which takes minutes to hours: verify again later.'
const UNREADABLE =
  'all properties as one text, $unparseable_properties, which no query reads into: one of them is nested too deep (over 8 lists, or 300 levels)'

function peopleLines({ distinct_ids: ids, persons, merges, groups }: Persons): string[] {
  const here = ids.here === null ? '' : `about ${plural(ids.here, 'distinct id')} here; `
  const text = `persons: ${here}about ${plural(ids.service, 'distinct id')} in the service, of about ${plural(persons, 'person')}`
  const lines = hung(text)
  if (merges.events > 0) {
    const { asked, apart } = merges
    const [first] = apart
    const example = first ? `, not ${first.map((id) => JSON.stringify(cut(id))).join(' and ')}` : ''
    const joined = `of ${number(asked)} looked at, ${number(asked - apart.length)} ${asked - apart.length === 1 ? 'leads' : 'lead'} to one person${example}`
    // Those of servers often have no second id.
    lines.push(...hung(visible(`merges: ${plural(merges.events, 'identity event')}; ${joined}`)))
  }
  for (const { type, events, since, keys } of groups) {
    const named = events.here ? `${plural(events.here, 'event')} here and ` : ''
    const there = events.here ? number(events.service) : plural(events.service, 'event')
    const copies =
      events.here !== null && events.service > events.here ? ', with copies that it merges later' : ''
    const counts = `named by ${named}${there} in the service${copies}, which has ${plural(keys.service, 'group')}`
    const hidden =
      events.hidden === 0
        ? ''
        : `; ${number(events.hidden)} of them don't show it${since === null ? '' : `: PostHog does only from ${since} on`}`
    const [absent] = keys.absent
    const lost =
      absent === undefined
        ? ''
        : `; of ${number(keys.asked)} looked at, ${number(keys.absent.length)} are not there, such as ${JSON.stringify(cut(absent))}`
    lines.push(...hung(visible(`groups of type ${type}: ${counts}${hidden}${lost}`)))
  }
  return lines
}

/** Says that names were counted together: the proof is as good, but a difference is one of the whole day. */
function wholeLines({ inputs }: VerifyResult): string[] {
  const days = Math.max(0, ...inputs.map(({ whole_days }) => whole_days))
  if (days === 0) return []
  const text = `names: ${plural(days, 'day')} with too many event names ${days === 1 ? 'is' : 'are'} compared as a whole, not name by name`
  return hung(text)
}

function othersLines({ others }: VerifyResult['events']): string[] {
  if (others === 0) return []
  const text = `${plural(others, 'other event')} on these days, under names that the dataset does not have on that day`
  return fold(text, '    ', '  besides: ')
}
