import type { JoinedTable } from '../../pipeline/side/built.ts'
import { fold, number, plural } from '../../text/index.ts'
import type { MembersOf } from './left-out.ts'

const REMARK = ' '.repeat(12)

/** What became of side tables, a line or two each: their rows, the records that found theirs, and what is wrong. */
export function sideTableLines(tables: readonly JoinedTable[]): string[] {
  return tables.flatMap((table) => (table.files === 0 ? absent(table) : [...joined(table), ...faults(table)]))
}

/** The tables as `--json` has them. */
export function sideTablesJson(tables: readonly JoinedTable[]) {
  return tables.map(
    ({ name, files, rows, keys, repeated, without_key, unreadable, found, missing, sha256 }) => ({
      ...{ name, files, rows, keys, repeated, without_key, unreadable, found, missing, sha256 },
    }),
  )
}

/** The members of records without the columns of joined rows: nobody expects all of them in every event. */
export function withoutJoined<T extends MembersOf>(inventory: T, tables: readonly JoinedTable[]): T {
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
    return fold(
      `${help}, from all records: ${number(keys)}, for ${plural(found, 'record')}`,
      REMARK,
      '  looked up ',
    )
  return fold(`${name}: ${plural(rows, 'row')}; ${plural(found, 'record')} found one`, REMARK, '  joined    ')
}

function faults({
  name,
  expected,
  of_records,
  missing,
  repeated,
  without_key,
  unreadable,
}: JoinedTable): string[] {
  const words = [
    expected && missing > 0 && `${plural(missing, 'record')} found no row`,
    repeated > 0 && `${plural(repeated, 'row')} repeat a key`,
    !of_records && without_key > 0 && `${plural(without_key, 'row')} have no key`,
    unreadable > 0 && `${plural(unreadable, 'line')} could not be read`,
  ].filter((text) => text !== false)
  return words.length === 0 ? [] : fold(`${name}: ${words.join(', ')}`, REMARK, '  warning   ')
}
