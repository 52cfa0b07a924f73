import { MISCOUNT, rowLines } from '../../jobs/summary.ts'
import { conserved, type MadeCounts, type RecordCounts, recordsAndEvents } from '../../record/index.ts'
import { fold, number, REMARK } from '../../text/index.ts'

/** What may be said of counts. The reasons are those of records and events together. */
interface Remarks {
  readonly written: string
  readonly rejected: string
  readonly filtered: string
  readonly pending: string
  /** Undefined if no earlier datasets were named. */
  readonly earlier: string | undefined
}

/** The counts of promise 1 where a record becomes several events: first those of the records, then of the events. */
export function explodedLines(counts: Readonly<MadeCounts>, of: RecordCounts, remarks: Remarks): string[] {
  const { records, children, events } = recordsAndEvents(counts, of)
  const row = (name: string, count: number, remark = '') => ({ name, count, remark })
  const left = children?.filtered ?? 0
  const lines = rowLines([
    row('records', records.read, 'read'),
    row('mapped', records.mapped),
    row('rejected', records.rejected),
    row('filtered', records.filtered),
    row(
      'events',
      events.made - events.generated,
      `made of them${left > 0 ? `, ${number(left)} filtered` : ''}`,
    ),
    row('written', counts.written, remarks.written),
    row('rejected', events.rejected),
    row('duplicate', events.duplicate),
    ...(remarks.earlier === undefined ? [] : [row('earlier', events.earlier, remarks.earlier)]),
    row('pending', events.pending, remarks.pending),
  ])
  for (const word of ['rejected', 'filtered'] as const)
    if (remarks[word] !== '') lines.push(...fold(`${word}: ${remarks[word]}`, REMARK, '  why       '))
  const { read, mapped, rejected, filtered } = records
  if (!conserved(counts) || read !== mapped + rejected + filtered) lines.push(MISCOUNT)
  return lines
}
