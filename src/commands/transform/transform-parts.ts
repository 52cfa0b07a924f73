import { conserved } from '../../record/counts.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { number, plural } from '../../text/words.ts'
import type { MembersOf } from '../left-out.ts'
import { labelled, MISCOUNT, rowLines } from '../lines.ts'
import type { TransformResult } from './result.ts'

type JoinedTable = TransformResult['side_tables'][number]

/** What became of side tables, a line or two each: their rows, the records that found theirs, and what is wrong. */
export function sideTableLines(tables: readonly JoinedTable[]): string[] {
  return tables.flatMap((table) => (table.files === 0 ? absent(table) : [...joined(table), ...faults(table)]))
}

/** The members of records without the columns of joined rows: nobody expects all of them in every event. */
export function withoutJoined<T extends MembersOf & Pick<TransformResult, 'side_tables'>>(inventory: T): T {
  const { side_tables: tables } = inventory
  const members = Object.entries(inventory.members).filter(
    ([path]) => !tables.some(({ as }) => path.startsWith(`${as}.`)),
  )
  return { ...inventory, members: Object.fromEntries(members) }
}

function absent({ name, help }: JoinedTable): string[] {
  return fold(`${name} was not given (--join ${name}=PATH): ${help}`, REMARK, '  not joined ')
}

function joined({ name, help, rows, keys, found, of_records }: JoinedTable): string[] {
  // Nobody gave such a table, and its name is in no page.
  if (of_records)
    return labelled('looked up', `${help}, from all records: ${number(keys)}, for ${plural(found, 'record')}`)
  return labelled('joined', `${name}: ${plural(rows, 'row')}; ${plural(found, 'record')} found one`)
}

function faults(table: JoinedTable): string[] {
  const { name, expected, of_records, missing, repeated, without_key, unreadable } = table
  const words = [
    expected && missing > 0 && `${plural(missing, 'record')} found no row`,
    repeated > 0 && `${plural(repeated, 'row')} repeat a key`,
    !of_records && without_key > 0 && `${plural(without_key, 'row')} have no key`,
    unreadable > 0 && `${plural(unreadable, 'line')} could not be read`,
  ].filter(Boolean)
  return labelled('warning', words.length > 0 && `${name}: ${words.join(', ')}`)
}

/** The counts of promise 1 where a record becomes several events: first those of the records, then of the events. */
export function explodedLines(
  { counts, records, children, events }: Pick<TransformResult, 'counts' | 'records' | 'children' | 'events'>,
  remarks: Readonly<Record<'written' | 'rejected' | 'filtered' | 'pending', string>> & {
    readonly read?: string
    readonly earlier: string | undefined
  },
): string[] {
  const row = (name: string, count: number, remark = '') => ({ name, count, remark })
  const left = children?.filtered ?? 0
  const lines = rowLines([
    row('records', records.read, remarks.read ?? 'read'),
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
    if (remarks[word] !== '') lines.push(...labelled('why', `${word}: ${remarks[word]}`))
  const { read, mapped, rejected, filtered } = records
  if (!conserved(counts) || read !== mapped + rejected + filtered) lines.push(MISCOUNT)
  return lines
}

/** What is said beside the count of events that are left out for earlier datasets; undefined if none were named. */
export function earlierRemark(after: TransformResult['after']): string | undefined {
  if (after.length === 0) return undefined
  return after.length === 1
    ? 'in the dataset of --after already'
    : `in the ${plural(after.length, 'dataset')} of --after already`
}

/** What a dry run of a sample tried: `a sample of 1,000 records, spread over 3 files, 12% of the bytes`. */
export function sampleLines(sample: NonNullable<TransformResult['sample']>): string[] {
  const { records, whole, files, files_read: read } = sample
  const over = read < files ? `${number(read)} of ${plural(files, 'file')}` : plural(files, 'file')
  const text = whole
    ? `all ${plural(records, 'record')} of ${over}: the input has no more`
    : `a sample of ${plural(records, 'record')}, spread over ${over}, ${share(sample)} of the bytes`
  return labelled('sample', text)
}

function share({ bytes, bytes_read: read }: NonNullable<TransformResult['sample']>): string {
  const percent = bytes > 0 ? Math.min(100, (100 * read) / bytes) : 100
  return percent < 1 ? `${percent.toFixed(2)}%` : `${Math.floor(percent)}%`
}
