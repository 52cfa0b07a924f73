import { elements, members } from '../../record/index.ts'
import type { ReadCall, TableColumn } from '../sql/database.ts'
import { numberCell } from '../sql/sql-cells.ts'

/** A column as the server describes it. */
export function columnOf(name: string, type: string): TableColumn {
  const bare = bareType(type)
  const isDate = /^Date(?:32)?$/.test(bare)
  return {
    name,
    type,
    nullable: type.includes('Nullable(') && /^(?:LowCardinality\()?Nullable\(/.test(type),
    time: isDate ? 'date' : bare.startsWith('DateTime') ? 'instant' : undefined,
    timeless: false,
    integer: /^U?Int\d+$/.test(bare),
  }
}

/** The type without what says how it is kept, and whether it can be NULL. */
function bareType(type: string): string {
  const { name, parts } = partsOf(type)
  if (name === 'Nullable' || name === 'LowCardinality') return bareType(parts[0]!)
  return name === 'SimpleAggregateFunction' ? bareType(parts[1]!) : type
}

/** Changes the JSON of a value. */
export type FiniteReader = (json: string) => string

/** Names that stand for other types. */
const SHORT: Readonly<Record<string, string>> = {
  Point: 'Tuple(Float64, Float64)',
  Ring: 'Array(Point)',
  LineString: 'Array(Point)',
  MultiLineString: 'Array(LineString)',
  Polygon: 'Array(Ring)',
  MultiPolygon: 'Array(Polygon)',
}

/**
 * What makes null of NaN and infinities in values of a type, wherever in it they are, and counts them; undefined for a type
 * that has none. In a Variant, a Dynamic and a JSON the texts stay: nothing there tells them from a string.
 */
export function finiteReader(
  type: string,
  column: string,
  call: Pick<ReadCall, 'notFinite'>,
): FiniteReader | undefined {
  const { name, parts } = partsOf(SHORT[type] ?? type)
  const reader = (index: number) => finiteReader(unnamed(parts[index]!), column, call)
  switch (name) {
    case 'Float32':
    case 'Float64':
    case 'BFloat16':
      return (json) => (json.startsWith('"') ? (numberCell(json.slice(1, -1), column, call) ?? 'null') : json)
    case 'Nullable':
    case 'LowCardinality':
      return reader(0)
    case 'SimpleAggregateFunction':
      return reader(1)
    case 'Array': {
      const item = reader(0)
      return item && ((json) => `[${elements(json).map(item).join(',')}]`)
    }
    case 'Map': {
      const value = reader(1)
      return value && ((json) => withMembers(json, () => value))
    }
    case 'Nested':
      return finiteReader(`Array(Tuple(${parts.join(', ')}))`, column, call)
    case 'Tuple': {
      const each = parts.map((_, index) => reader(index))
      if (each.every((one) => one === undefined)) return undefined
      const at = (value: string, index: number) => each[index]?.(value) ?? value
      return (json) =>
        json.startsWith('{')
          ? withMembers(json, (index) => each[index])
          : `[${elements(json).map(at).join(',')}]`
    }
    default:
      return undefined
  }
}

function withMembers(json: string, reader: (index: number) => FiniteReader | undefined): string {
  const texts = members(json).map(
    ([name, value], index) => `${JSON.stringify(name)}:${reader(index)?.(value) ?? value}`,
  )
  return json.startsWith('{') ? `{${texts.join(',')}}` : json
}

/** The type of a member of a Tuple, which may have a name before it: `a UInt8`, `` `a b` UInt8 ``. */
function unnamed(part: string): string {
  return /^(?:`(?:\\.|[^\\`])*`|\w+) (.*)$/s.exec(part)?.[1] ?? part
}

/** `Map(String, Array(UInt8))` as its name and what is between its brackets. */
function partsOf(type: string): { readonly name: string; readonly parts: readonly string[] } {
  const open = type.indexOf('(')
  if (open < 0) return { name: type, parts: [] }
  const parts: string[] = []
  let depth = 0
  let from = open + 1
  // A quoted text, or a sign that matters.
  for (const { 0: sign, index } of type.matchAll(/'(?:\\.|[^\\'])*'|`(?:\\.|[^\\`])*`|[(),]/gs)) {
    if (sign === '(') depth++
    else if (sign === ')') depth--
    if ((sign === ',' && depth === 1) || (sign === ')' && depth === 0)) {
      parts.push(type.slice(from, index).trim())
      from = index + 1
    }
  }
  return { name: type.slice(0, open), parts }
}
