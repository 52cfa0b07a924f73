import { elements, members } from '../record/json-values.ts'
import type { Span } from '../record/members.ts'
import { textIn } from '../record/text.ts'

/** Members that name the values of rows beside them: PostHog's queries and pandas (`columns`), ClickHouse (`meta`), others. */
const NAMED_BY = ['columns', 'meta', 'column_names', 'names', 'headers', 'header', 'fields', 'schema', 'cols']
/** What PostHog calls all members of an event together, in queries and in what its page exports. */
const WHOLE = '*'
const PERSON = ['person', 'properties']

/** A record's members as [name, JSON as written]. */
type RecordMembers = ReadonlyArray<readonly [name: string, json: string]>

/** The names of the values in rows, which a record tells beside them, as texts or as `{"name": …}`. */
export function rowNames(record: RecordMembers): readonly string[] | undefined {
  for (const by of NAMED_BY) {
    const json = record.findLast(([name]) => name === by)?.[1]
    const names = elements(json ?? '').map(nameIn)
    if (names.length > 0 && names.every((name) => name !== undefined)) return names
  }
  return undefined
}

function nameIn(json: string): string | undefined {
  const name = json.startsWith('{') ? members(json).find(([one]) => one === 'name')?.[1] : json
  return name?.startsWith('"') ? textIn(name) : undefined
}

/**
 * A row, `["a", 1]`, as an object of these names, its values as written. Names of PostHog's queries lead into objects: see
 * `flatPlace`. Undefined for a row of another width.
 */
export function rowObject(names: readonly string[], row: string): string | undefined {
  const values = elements(row)
  if (values.length !== names.length) return undefined
  const root: Branch = new Map()
  // The whole event comes last, so that its members win over the columns that its page shows beside it.
  const order = names.map((name, at) => ({ name, json: values[at]! }))
  for (const { name, json } of order) if (name !== WHOLE) put(root, flatPlace(name) ?? [name], json)
  for (const { name, json } of order) {
    if (name !== WHOLE) continue
    if (json.startsWith('{')) for (const [own, value] of members(json)) root.set(own, value)
    else root.set(name, json)
  }
  return objectText(root)
}

/** The same of bytes; the row itself where it is none of that width. */
export function namedRow(names: readonly string[], row: Span): Span {
  const text = rowObject(names, row.bytes.toString('utf8', row.start, row.end))
  if (text === undefined) return row
  const bytes = Buffer.from(text)
  return { bytes, start: 0, end: bytes.length }
}

type Branch = Map<string, string | Branch>

function put(root: Branch, [name, ...below]: readonly string[], json: string): void {
  const there = root.get(name!)
  if (below.length === 0) root.set(name!, json)
  else if (there instanceof Map) put(there, below, json)
  else {
    const branch: Branch = new Map(there === undefined ? [] : members(there))
    root.set(name!, branch)
    put(branch, below, json)
  }
}

function objectText(branch: Branch): string {
  const all = [...branch].map(
    ([name, value]) => `${JSON.stringify(name)}:${value instanceof Map ? objectText(value) : value}`,
  )
  return `{${all.join(',')}}`
}

/**
 * Where a column lies in an event of PostHog, whose queries and CSV name it by its path: `properties.$browser`,
 * `person.properties.email`, both also below `*.`. Undefined for other names.
 */
export function flatPlace(name: string): readonly string[] | undefined {
  const isWhole = name.startsWith(`${WHOLE}.`)
  const path = (isWhole ? name.slice(2) : name).split('.')
  if (path.includes('')) return undefined
  if (path[0] === PERSON[0] && path[1] === PERSON[1]) return ['person_properties', ...path.slice(2)]
  return isWhole || (path[0] === 'properties' && path.length > 1) ? path : undefined
}
