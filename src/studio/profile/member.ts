import { pathSegments, quotedSegment } from '../../mapping/member-path.ts'
import { members } from '../../record/json-values.ts'
import { isNullWord } from '../../record/nobody.ts'
import { textIn } from '../../record/text.ts'

const MOST_DEPTH = 3
/** Of all members together, so that a table of thousands of columns stays in memory. */
const MOST_VALUES = 1_000_000

/** A column of a table, or a member of records. */
export interface Member {
  /** Path in the record as a mapping file writes it; of a table of text, the column's name. */
  readonly name: string
  /** False for a name that no path of a mapping file can say: an empty one, or a column's with dots. */
  readonly isPath: boolean
  /** Values as JSON, null and empty text left out. */
  readonly values: readonly string[]
  /** The index of each value's record. */
  readonly at: readonly number[]
  /** The same as text, blanks cut off, without words that mean nothing, such as `N/A`. */
  readonly texts: readonly string[]
}

/** What people write where there is no value, beside the null words of programs. */
const NOTHING = /^(?:n\/a|#n\/a|-+)$/i

/**
 * The members of records, those of objects by their paths, in the order in which they come. `columns` are those of a table of
 * text, whose cells the records are, and come in any case. `list`: the member that holds an element in each record.
 */
export function profiledMembers(
  records: readonly string[],
  {
    columns,
    list,
  }: { readonly columns?: readonly string[] | undefined; readonly list?: string | undefined } = {},
): Member[] {
  const most = MOST_DEPTH + Number(list !== undefined)
  const found = new Map<string, { isPath: boolean; values: string[]; at: number[] }>()
  const named = (key: string) => (columns === undefined ? quotedSegment(key) : key)
  const isSayable = (key: string) =>
    key !== '' && !/\p{Cs}/u.test(key) && (columns === undefined || !key.includes('.'))
  for (const name of columns ?? []) found.set(name, { isPath: isSayable(name), values: [], at: [] })
  const add = (json: string, prefix: string, isPath: boolean, depth: number) => {
    for (const [key, value] of members(json)) {
      const name = prefix + named(key)
      const sayable = isPath && isSayable(key)
      if (value.startsWith('{') && sayable && depth < most && !/^\{\s*\}$/.test(value)) {
        add(value, `${name}.`, sayable, depth + 1)
        continue
      }
      const member = found.get(name) ?? { isPath: sayable, values: [], at: [] }
      found.set(name, member)
      if (value === 'null' || value === '""') continue
      member.values.push(value)
      member.at.push(index)
    }
  }
  let values = 0
  let index = 0
  for (const record of records) {
    add(record, '', true, 1)
    index++
    values += found.size
    if (values > MOST_VALUES) break
  }
  return [...found].map(([name, { isPath, values, at }]) => {
    const texts = values
      .map((json) => textIn(json).trim())
      .filter((text) => text !== '' && !NOTHING.test(text) && !isNullWord(text))
    return { name, isPath, values, at, texts }
  })
}

/** The place of a column that no path can name: its name without dots, which is no other column's. */
export function placeOfColumn(column: string, columns: Iterable<string>): string {
  const others = new Set(columns)
  let place = column.replaceAll(/^\.+|\.+$/g, '').replaceAll('.', '_') || 'column'
  while (others.has(place)) place += '_'
  return place
}

/** A name as it is compared with others. */
export function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

const UNIT =
  '(?:seconds?|secs?|s|milliseconds?|millis|ms|microseconds?|micros|usecs?|us|nanoseconds?|nanos|ns)'
const UNIT_AFTER_SIGN = new RegExp(`[^a-z0-9]${UNIT}$`, 'i')
const UNIT_AFTER_CASE =
  /(?<=[a-z])(?:Seconds?|Secs?|Milli(?:second)?s|Ms|Micro(?:second)?s|Us|Nano(?:second)?s|Ns)$/
const UNIT_AFTER_TIME = new RegExp(`(?<=time|stamp|epoch|ts)${UNIT}$`, 'i')

/** The name of a time without the unit at its end: `event_time` of `event_time_ns`. */
export function withoutUnit(name: string): string {
  return [UNIT_AFTER_SIGN, UNIT_AFTER_CASE, UNIT_AFTER_TIME].reduce(
    (left, unit) => left.replace(unit, ''),
    name,
  )
}

/** What databases write around a value to say its type: MongoDB's extended JSON, DynamoDB's. */
const TYPES = [
  ["MongoDB's", /^\$(?:date|oid|uuid|number(?:Long|Int|Double|Decimal))$/],
  ["DynamoDB's", /^(?:S|N|BOOL|NULL|M|L|SS|NS|B)$/],
] as const

/** Whose JSON it is where a member is the value in such an object; undefined of others. */
export function typedBy(name: string): string | undefined {
  const segments = pathSegments(name)
  return segments.length < 2 ? undefined : TYPES.find(([, pattern]) => pattern.test(segments.at(-1)!))?.[0]
}

/** The last name of a path, without what only says the type. */
export function lastName(name: string): string {
  const segments = pathSegments(name)
  return segments.findLast((segment, depth) => depth === 0 || !TYPES.some(([, type]) => type.test(segment)))!
}
