import { MERGING } from '../../record/merging.ts'
import { TEMPORARY_DAYS } from '../../record/stored-properties.ts'
import { monthsOf } from '../../sources/window.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { pathWord, posthaulLine } from '../../text/shell-word.ts'
import { visible } from '../../text/visible.ts'
import { bytes, firstFew, number, plural, span } from '../../text/words.ts'
import { countLines, labelled } from '../lines.ts'
import { isShort } from './hold.ts'
import type { ExportResult } from './result.ts'

type Reconciled = NonNullable<ExportResult['reconciled']>

/** The summary of a run, or the plan of a dry run, for a person. */
export function exportLines(result: ExportResult): string[] {
  if (result.dry_run) return planLines(result)
  const { vendor, finished, counts, windows, person_state: persons } = result
  const there = windows.asked - windows.fetched - windows.missing
  const lines = [
    ...fold(
      `${finished ? 'done' : 'stopped'} after ${span((result.seconds ?? 0) * 1000)}: ${vendor} to ${visible(result.out)}`,
      '  ',
      'export: ',
    ),
    ...countLines(counts, {
      written:
        windows.fetched > 0
          ? `in ${plural(windows.fetched, 'window')}, ${bytes(windows.bytes)}`
          : 'nothing new',
    }),
  ]
  if (finished && there > 0) lines.push(`  kept      ${plural(there, 'window')} from earlier runs`)
  if (windows.missing > 0)
    lines.push(`  missing   ${number(windows.missing)} of ${plural(windows.asked, 'window')}`)
  const { records, parts } = result.dataset ?? { records: 0, parts: 0 }
  lines.push(
    `  dataset   ${plural(records, 'record')} in ${plural(parts, 'part')}`,
    ...lateLines(result.late ?? [], result.renews),
    ...reconciledLines(result),
    ...(persons ? personLines(persons) : []),
  )
  if (finished && !isShort(result.reconciled)) {
    lines.push(`  next: ${posthaulLine(nextWords(result))}`)
  }
  return lines
}

/** The command that goes on: `init` where no preset knows the records. */
function nextWords({ out, preset, person_state: persons }: ExportResult): string[] {
  const where = ['--in', pathWord(out), '--out', 'events/']
  if (preset === null) return ['init', pathWord(out), '--out', 'mapping.yaml']
  const read = persons?.from === 'person_properties' ? ['--with', 'person-properties'] : []
  return ['transform', '--preset', preset, ...read, ...where]
}

/** The requests of a dry run, one a line: the window, a tab, the request. */
export function requestLines({ requests }: ExportResult): string {
  return (requests ?? []).map(({ window, asks }) => `${window}\t${visible(asks)}\n`).join('')
}

function planLines({ vendor, out, windows, least_seconds: least, requests }: ExportResult): string[] {
  const there = windows.asked - windows.missing
  const empty = windows.missing - (requests ?? []).length
  const lines = [
    ...fold(`dry run of ${vendor} to ${visible(out)}; nothing was fetched`, '  ', 'export: '),
    `  to fetch  ${plural(windows.missing, 'window')}${empty > 0 ? `, of which ${number(empty)} are empty: counted, and not asked for` : ''}${there > 0 ? `; ${number(there)} more already fetched` : ''}`,
  ]
  if (least) lines.push(`  it takes  at least ${span(least * 1000)}, under the vendor's quota`)
  return lines
}

function lateLines(late: readonly string[], renews: boolean): string[] {
  const [first, last] = [late[0], late.at(-1)]
  if (first === undefined || last === undefined) return []
  const [names, them] = late.length === 1 ? [first, 'it'] : [`${first} to ${last}`, 'them']
  const remedy = renews
    ? `the same command looks at ${them} again`
    : `fetch ${them} again later with --refetch`
  const text = `${plural(late.length, 'window')}, ${names}: fetched while events still came in; ${remedy}`
  return labelled('warning', text)
}

function personLines(state: NonNullable<ExportResult['person_state']>): string[] {
  const { from, events_without_set: withoutSet, reason } = state
  const gone = `none of ${plural(withoutSet ?? 0, 'event')} stored over ${TEMPORARY_DAYS} days ago has $set, which PostHog keeps no longer`
  const said: Record<typeof from, readonly [label: string, text: string]> = {
    events: ['persons', `$set of the events${reason === null ? '' : `; ${reason}`}`],
    persons: ['persons', 'as they are now, from the persons model (--persons)'],
    person_properties: ['persons', `person_properties of the rows: ${gone}`],
    none: [
      'warning',
      `the state of persons is not known: ${gone}; ${reason}; --persons brings it as it is now`,
    ],
    unknown: [
      'warning',
      `can't tell whether events still have $set: ${reason}; --persons brings persons' state`,
    ],
  }
  const [label, text] = said[from]
  return labelled(label, text)
}

const MOST_ROWS = 10
const MOST_NAMES = 5

/** How the export compares with the vendor's own counts. Nothing if nobody asked for them. */
function reconciledLines({ reconciled }: ExportResult): string[] {
  if (!reconciled?.asked) return []
  const { by: vendor } = reconciled
  if (reconciled.reason !== null) {
    const text = `whether ${vendor} gave all it has is not known: ${visible(reconciled.reason)}`
    return labelled('unchecked', text)
  }
  const { short } = reconciled
  return [
    ...(short && short.length > 0
      ? shortLines({ ...reconciled, short }, vendor)
      : wholeLines(reconciled, vendor)),
    ...remarks(vendor, reconciled),
  ]
}

function wholeLines(
  { events, days, zone, last_days: last, arriving, counted: [unit = '', record = ''] }: Reconciled,
  vendor: string,
): string[] {
  if (!days) {
    const text = `${plural(last ?? 0, 'day')} with ${vendor}'s own counts; events of ${last === 1 ? 'it' : 'them'} can still come in later windows, so none of this is final`
    return labelled('compared', `${text}${arriving?.length === 0 ? ': nothing is short so far' : ''}`)
  }
  const { here, vendor: there } = events ?? { here: 0, vendor: 0 }
  const text = `nothing is short in ${plural(days, unit)}${daysOf(zone)}: ${plural(here, record)} here, ${number(there)} in ${vendor}'s own counts`
  return labelled('compared', text)
}

function shortLines(
  {
    short,
    days,
    zone,
    remedy,
    counted: [unit = '', record = ''],
  }: Reconciled & { readonly short: NonNullable<Reconciled['short']> },
  vendor: string,
): string[] {
  const shortDays = new Set(short.map(({ day }) => day))
  const more = short.some(({ here, vendor: there }) => here > there) ? 'other' : 'more'
  const text = `${number(shortDays.size)} of ${plural(days ?? 0, unit)}${daysOf(zone)}: ${vendor} counts ${more} ${record}s than it gave`
  const months = monthsOf([...shortDays])
  const rows = short.slice(0, MOST_ROWS).flatMap(({ day, event, here, vendor: there }) => {
    const name = event === null ? 'other events' : visible(event)
    return fold(`${day} ${name}: ${number(here)} here, ${number(there)} there`, `${REMARK}  `, REMARK)
  })
  const others = short.length - MOST_ROWS
  return [
    ...labelled('short', text),
    ...rows,
    ...(others > 0 ? [`${REMARK}and ${number(others)} more, which --json lists`] : []),
    ...(unit === 'day' && months.length > 1 ? fold(`the months are ${months.join(', ')}`, REMARK) : []),
    ...fold(remedy ?? '', REMARK),
  ]
}

function remarks(vendor: string, reconciled: Reconciled): string[] {
  const { arriving, untold, uncertain_parts: parts, uncertain_days: days } = reconciled
  const texts: string[] = []
  const others = (reconciled.other_days ?? 0) - (reconciled.last_days ?? 0)
  if (others > 0) {
    const why = 'not compared: only a part was exported, or more can still come'
    texts.push(`${plural(others, 'other day')} ${why}`)
  }
  if (arriving && arriving.length > 0) {
    const missing = arriving.reduce((sum, { here, vendor: there }) => sum + there - here, 0)
    const shown = [...new Set(arriving.map(({ day }) => day))].join(', ')
    const zone = reconciled.zone_known
      ? ''
      : `. Or ${vendor}'s days are of another time zone than UTC, which so few days don't tell`
    texts.push(
      `${vendor} counts ${plural(missing, 'event')} more on days just before the end: ${shown}. Devices send some late, and these come in later windows: export those too${zone}`,
    )
  }
  if (untold && untold.length > 0) {
    texts.push(
      `${plural(untold.length, 'event name')} not compared, because the vendor's counts lack them: ${firstFew(untold.map(visible), MOST_NAMES)}`,
    )
  }
  if (reconciled.shown_from !== null) {
    texts.push(`not in it, nor counted: events from before ${reconciled.shown_from}, which the project hides`)
  }
  if (reconciled.apart !== null) {
    texts.push(
      `not in it, if the project has any: events named ${reconciled.apart}. Since ${MERGING.changed} ${vendor} keeps them in a table that neither queries nor downloads show`,
    )
  }
  for (const large of [parts && plural(parts, 'part'), days && plural(days, 'day')]) {
    if (!large) continue
    texts.push(`${large} too large to tell copies from events: copies can hide that others are missing`)
  }
  return texts.flatMap((text) => fold(text, REMARK))
}

function daysOf(zone: string | null): string {
  return zone === null || zone === 'UTC' ? '' : ` of ${zone}`
}
