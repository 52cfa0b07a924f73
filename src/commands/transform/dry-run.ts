import { ON_EVERY } from '../../mapping/constant-properties.ts'
import type { StudioRecord } from '../../studio/studio-data.ts'
import type { PartTrace } from '../../studio/trace.ts'
import { fold, narrowed } from '../../text/fold.ts'
import { type Column, Table } from '../../text/table.ts'
import { cutTo, visible } from '../../text/visible.ts'
import { mostFirst, number, plural } from '../../text/words.ts'
import { emptyLines, leftOutRows } from '../left-out.ts'
import { labelled } from '../lines.ts'
import { briefLines, nameLines } from './brief-record.ts'
import { countedLines, noticeLines } from './notices.ts'
import type { TransformResult } from './result.ts'
import { sampleLines, withoutJoined } from './transform-parts.ts'

const MOST_PARTS = 2
const MOST_NAMES = 5
const MOST_REJECTS = 3
const MOST_MEMBERS = 3

/** Records beside their events, and once what all events have besides. No line has more than `columns`. */
export function shownText(shown: readonly StudioRecord[], columns: number): string {
  if (shown.length === 0) return ''
  const title = `${plural(shown.length, 'record')} beside what becomes of ${shown.length === 1 ? 'it' : 'them'}, chosen to differ by name, members and day (≠ another value, → another place, + added):`
  const seen = new Set<string>()
  const everywhere = new Set<string>()
  const lines = shown.flatMap(({ file, line, trace, refused }, at) => {
    // As `explain --line` takes it.
    const place = line === null ? file : `${file}:${line}`
    const parts = trace?.parts ?? []
    const [event] = parts.length === 1 ? parts.map((part) => part.event) : []
    const head = event ? `${event.event}, ${event.timestamp.slice(0, 10)}` : plural(parts.length, 'event')
    for (const { place, origin } of parts.flatMap((part) => part.event?.places ?? []))
      if (origin === ON_EVERY) everywhere.add(place.replace('properties.', ''))
    const told = trace
      ? eventLines(parts, columns - 2, seen)
      : [cutTo(visible(refused!.message), columns - 2)]
    return ['', cutTo(visible(`${at + 1}. ${place}: ${head}`), columns), ...told.map((line) => `  ${line}`)]
  })
  const besides = nameLines('Besides, every event has', [...everywhere], columns)
  return [...fold(title, '', '', columns), ...lines, '', ...besides, ''].map((line) => `${line}\n`).join('')
}

function eventLines(parts: readonly PartTrace[], columns: number, seen: Set<string>): string[] {
  const lines = parts.slice(0, MOST_PARTS).flatMap((part) => {
    const became = part.event?.event ?? `– ${part.outcome}: ${part.reason}`
    const head = cutTo(visible(`${part.child} of ${parts.length}: ${became}`), columns)
    return [...(parts.length > 1 ? [head] : []), ...briefLines(part, columns, seen)]
  })
  const more = parts.length - MOST_PARTS
  return more > 0 ? [...lines, `and ${plural(more, 'more event')} of the same record`] : lines
}

/** What a dry run counted: on one screen, where there are no warnings. */
export function dryRunLines(result: TransformResult, columns: number): string[] {
  const { seconds, sample, next_command: next } = result
  const head = `transform: ${isCut(result) ? 'stopped' : 'dry run'} after ${seconds.toFixed(1)} s; nothing was written`
  const counted = [...(sample ? sampleLines(sample) : []), ...countedLines(result, remarksOf(result))]
  return [
    ...narrowed([head, ...counted], columns),
    ...nameTable(result, columns),
    ...rejectLines(result, columns),
    ...memberTable(result, columns),
    ...narrowed([...emptyLines(withoutJoined(result)), ...noticeLines(result)], columns),
    ...(next === null ? [] : [`  next: ${next}`]),
  ]
}

/** Whether names, rejects and members are of a sample or of everything. Rejected records have lines of their own. */
function remarksOf(result: TransformResult) {
  const { sample } = result
  const isAll = !isCut(result) && (sample?.whole ?? true)
  const which = isCut(result) ? 'before it stopped' : isAll ? 'all records of the input' : 'the sample'
  return { read: `${which}: what follows is of ${isAll ? 'all of them' : 'these alone'}`, rejected: '' }
}

/** True if it ended before it had read what it was to read: a finding comes after that. */
function isCut({ error }: TransformResult): boolean {
  return error !== null && error.code !== 'found'
}

const BECOME = { event: null, rejected: '– rejected', filtered: '– left out' } as const

function nameTable({ preview }: TransformResult, columns: number): string[] {
  const { names = [], other_names: others = 0 } = preview ?? {}
  const rows = names.filter(({ from, outcome }) => from !== null || outcome === 'event')
  const from = { title: 'from', cell: ({ from }: (typeof rows)[number]) => from ?? '(no name)' }
  const to = { title: 'to', cell: ({ to, outcome }: (typeof rows)[number]) => BECOME[outcome] ?? to }
  const rarer = others > 0 ? `and ${plural(others, 'record')} of rarer names` : ''
  return [
    ...tableLines([from, to], rows, { columns, most: MOST_NAMES, noun: 'name' }),
    ...(rarer ? [`  ${rarer}`] : []),
  ]
}

function memberTable(result: TransformResult, columns: number): string[] {
  const rows = leftOutRows(withoutJoined(result))
  const path = { title: 'left out', cell: ({ path }: (typeof rows)[number]) => path }
  const why = {
    title: 'why',
    cell: ({ why }: (typeof rows)[number]) => why.join(', ').replaceAll('left out: ', ''),
  }
  return tableLines([path, why], rows, { columns, most: MOST_MEMBERS, noun: 'member' })
}

/** The first rows, each with its count of records, and how many there are besides. */
function tableLines<Row extends { readonly records: number }>(
  titles: readonly Column<Row>[],
  all: readonly Row[],
  { columns, most, noun }: { readonly columns: number; readonly most: number; readonly noun: string },
): string[] {
  if (all.length === 0) return []
  const records = {
    title: 'records',
    cell: (row: Row) => number(row.records),
    side: 'right',
    whole: true,
  } as const
  const rows = all.slice(0, most)
  const table = new Table([...titles, records], rows, columns - 2)
  const more = all.length > most ? [`and ${plural(all.length - most, `more ${noun}`)}: see --json`] : []
  return [table.head(), ...rows.map((row) => table.row(row)), ...more].map((line) => `  ${line}`)
}

/** Each reason with how often, what it means, and one record. */
function rejectLines({ rejects, preview }: TransformResult, columns: number): string[] {
  const reasons = mostFirst(Object.entries(rejects))
  const lines = reasons.slice(0, MOST_REJECTS).flatMap(([reason, count]) => {
    const example = preview?.rejects.find((one) => one.reason === reason)
    const why = labelled('rejected', visible(`${number(count)} x ${reason}: ${example?.message ?? ''}`))
    return [
      ...narrowed(why, columns),
      cutTo(`    ${visible(example?.record ?? '(too long to show)')}`, columns),
    ]
  })
  const more = reasons.slice(MOST_REJECTS).map(([reason, count]) => `${number(count)} x ${visible(reason)}`)
  return more.length > 0 ? [...lines, ...fold(`and ${more.join(', ')}`, '    ', '    ', columns)] : lines
}
