import { ownOf } from '../../text/json.ts'
import type { Derived } from '../store/store.ts'
import { RENAMED, SPECIAL } from './macros.ts'

/** The rows of a query without LIMIT, and the most rows of any query. */
const DEFAULT_LIMIT = 100
const MAX_LIMIT = 50_000

/** Longer lists of texts after IN are DuckDB's to look through. */
const LONG_LIST = 500
/** What is surely a text, so that its members can be compared as texts. */
const IS_TEXT = /^(?:toString\(|event$|distinct_id$)/

/** A query in DuckDB's language. */
interface Translation {
  readonly sql: string
  /** The derived tables it reads. */
  readonly needs: readonly Derived[]
  /** It looks at the whole of an event's properties, or at their `$set` or `$set_once`. */
  readonly copies: boolean
  readonly limit: number
}

/** A query that can't be run; the message is the answer's `detail`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

const NEEDS: Readonly<Record<string, Derived>> = {
  groups: 'groups',
  person: 'persons',
  poe: 'persons',
  persons: 'persons',
  person_id: 'persons',
  person_properties: 'persons',
  person_distinct_ids: 'persons',
}

const TOKENS = new RegExp(
  [
    String.raw`(?<skip>\s+|--.*|/\*[^]*?\*/)`,
    String.raw`(?<text>'(?:[^'\\]|\\[^]|'')*')`,
    String.raw`(?<quoted>"(?:[^"\\]|\\[^])*"|\x60(?:[^\x60\\]|\\[^])*\x60)`,
    String.raw`(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)`,
    String.raw`(?<name>[A-Za-z_$][\w$]*)`,
    String.raw`(?<sign>::|\|\||[<>!=]=|<>|[^])`,
  ].join('|'),
  'gu',
)

interface Token {
  readonly kind: 'text' | 'quoted' | 'number' | 'name' | 'sign'
  /** The text of a text, the name in quotes, all else as it was written. */
  readonly value: string
}

/** A pair of parentheses or brackets: what stands between its commas. */
interface Group {
  readonly kind: '(' | '['
  readonly parts: readonly Node[][]
}

type Node = Token | Group

/** Words before a parenthesis that are no function's name. */
const WORDS = new Set(
  `all and as between by case distinct else except exists filter from having in intersect interval join like limit not on or
  over select then union using values when where with`.split(/\s+/),
)

// The store's own tables, and what DuckDB has to look at itself or at the machine, are not part of the service.
const HIDDEN = /^(sandbox_|duckdb_|pragma_|pg_|sqlite_|information_schema)/i
const HIDDEN_FUNCTION = /^(read_|query$|query_table$|getenv$|glob$)/i

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' }

/**
 * Turns a query of the service's language into DuckDB's, which differs in the paths of properties, texts with escapes, and the
 * names of functions. `capped` applies the endpoint's limits of rows and refuses OFFSET. What is no query DuckDB refuses.
 * QueryError for what looks outside of the project.
 */
export function translate(query: string, { capped }: { capped: boolean }): Translation {
  const nodes = nodesOf(query)
  const seen: Seen = { needs: new Set(), copies: false }
  const found = (sql: string, limit: number) => ({ sql, needs: [...seen.needs], copies: seen.copies, limit })
  if (!capped) return found(printed(nodes, seen), 0)
  if (nodes.some((node) => isWord(node, 'offset'))) {
    throw new QueryError('OFFSET is not supported on queries made with a personal API key')
  }
  const last = nodes.at(-1)
  const isLimited = isWord(nodes.at(-2), 'limit') && last?.kind === 'number'
  const limit = Math.min(isLimited ? Number(last.value) : DEFAULT_LIMIT, MAX_LIMIT)
  // One row more than the limit shows whether there are more.
  return found(`${printed(isLimited ? nodes.slice(0, -2) : nodes, seen)} LIMIT ${limit + 1}`, limit)
}

function nodesOf(query: string): Node[] {
  const stack: Node[][][] = [[[]]]
  const opened: Group['kind'][] = []
  for (const { 0: written, groups } of query.trim().replace(/;+$/, '').matchAll(TOKENS)) {
    const [kind] = Object.entries(groups!).find(([, found]) => found !== undefined)!
    if (kind === 'skip') continue
    const parts = stack.at(-1)!
    if (written === '(' || written === '[') {
      opened.push(written)
      stack.push([[]])
    } else if ((written === ')' || written === ']') && stack.length > 1) {
      stack.pop()
      stack.at(-1)!.at(-1)!.push({ kind: opened.pop()!, parts })
    } else if (written === ',' && stack.length > 1) parts.push([])
    else {
      const isQuoted = kind === 'text' || kind === 'quoted'
      const value = isQuoted ? unescaped(written.slice(1, -1)) : written
      parts.at(-1)!.push({ kind: kind as Token['kind'], value })
    }
  }
  if (opened.length > 0) throw new QueryError(`A ${opened.at(-1)} is not closed.`)
  return stack[0]![0]!
}

function unescaped(text: string): string {
  return text.replace(/\\(.)|''/gsu, (_, sign: string | undefined) =>
    sign === undefined ? "'" : (ESCAPES[sign] ?? sign),
  )
}

function isWord(node: Node | undefined, ...words: string[]): boolean {
  return node?.kind === 'name' && words.includes(node.value.toLowerCase())
}

function isSign(node: Node | undefined, ...signs: string[]): boolean {
  return node?.kind === 'sign' && signs.includes(node.value)
}

/** What was found on the way through a query. */
interface Seen {
  readonly needs: Set<Derived>
  copies: boolean
}

function printed(nodes: readonly Node[], seen: Seen): string {
  const words: string[] = []
  for (let at = 0; at < nodes.length; ) {
    const [node, next] = nodes.slice(at, at + 2)
    const before = nodes[at - 1]
    if (node?.kind === 'name' && next?.kind === '(' && !WORDS.has(node.value.toLowerCase())) {
      words.push(call(node.value, next, seen))
      at += 2
    } else if (node?.kind === 'name' || node?.kind === 'quoted') {
      const chain = chainAt(nodes, at)
      words.push(field(chain.names, node.kind === 'quoted', seen))
      at = chain.end
    } else if (isWord(before, 'in') && isShortList(node) && isOperand(words)) {
      // DuckDB makes a join of each list, and each join holds megabytes: a dozen lists would be too many.
      words.pop()
      const not = words.at(-1)?.toLowerCase() === 'not' ? `${words.pop()} ` : ''
      words.push(`${not}list_contains(${plain({ ...node, kind: '[' }, seen)}, ${words.pop()})`)
      at++
    } else {
      // Of all columns; anywhere else it multiplies.
      if (isSign(node, '*') && (isSign(before, ',') || isWord(before, 'select', 'distinct')))
        seen.copies = true
      words.push(plain(node!, seen))
      at++
    }
  }
  return words.join(' ')
}

function isShortList(node: Node | undefined): node is Group {
  return (
    node?.kind === '(' &&
    node.parts.length <= LONG_LIST &&
    node.parts.every((part) => part.length === 1 && part[0]!.kind === 'text')
  )
}

/** Whether the words end in a text alone and IN or NOT IN. */
function isOperand(words: readonly string[]): boolean {
  const at = words.length - (words.at(-2)?.toLowerCase() === 'not' ? 3 : 2)
  return IS_TEXT.test(words[at] ?? '') && /^(?:and|or|not|where|having|when|)$/i.test(words[at - 1] ?? '')
}

function plain(node: Node, seen: Seen): string {
  if (node.kind === 'text') return stringLiteral(node.value)
  if (!('parts' in node)) return node.value
  const parts = node.parts.map((part) => printed(part, seen)).join(', ')
  return node.kind === '(' ? `(${parts})` : `[${parts}]`
}

/** The names that dots, or keys in brackets, make one field of, and where they end. */
function chainAt(nodes: readonly Node[], start: number) {
  const names = [(nodes[start] as Token).value]
  for (let at = start + 1; ; ) {
    const [sign, next] = nodes.slice(at, at + 2)
    const [key] = sign?.kind === '[' && sign.parts.length === 1 ? sign.parts[0]! : []
    if (isSign(sign, '.') && next && !('parts' in next)) {
      names.push(next.value)
      at += 2
    } else if (key?.kind === 'text') {
      names.push(key.value)
      at++
    } else return { names, end: at }
  }
}

function call(name: string, { parts }: Group, seen: Seen): string {
  const values = parts.filter((part) => part.length > 0).map((part) => printed(part, seen))
  const special = ownOf(SPECIAL, name)
  if (special) return special(values)
  const known = visible(RENAMED.get(name) ?? name)
  if (HIDDEN_FUNCTION.test(known)) throw new QueryError(`Unsupported function call '${known}(...)'`)
  // Several columns to count distinctly are one value to DuckDB.
  if (values.length > 1 && isWord(parts[0]![0], 'distinct'))
    return `${known}(DISTINCT (${values.join(', ').slice('distinct '.length)}))`
  return `${known}(${values.join(', ')})`
}

/** Refuses names of what queries may not see. */
function visible(name: string): string {
  if (!HIDDEN.test(name)) return name
  throw new QueryError(`Unknown table or function \`${name}\`.`)
}

/** A word, a column or a property: `event`, `e.timestamp`, `properties.$groups.organization`, `person.properties.email`. */
function field(chain: readonly string[], isQuoted: boolean, seen: Seen): string {
  for (const part of chain) {
    const table = ownOf(NEEDS, part)
    if (table) seen.needs.add(table)
  }
  if (readsCopies(chain)) seen.copies = true
  const [only = ''] = chain
  if (chain.length === 1 && !isQuoted && !only.includes('$')) return visible(only)
  const parts = [...chain]
  // `person.properties.x` of an event, or of its own copy: its columns are part of the events table here.
  const person = parts.findIndex((part) => part === 'person' || part === 'poe')
  if (person >= 0 && person < parts.length - 1) parts.splice(person, 2, `person_${parts[person + 1]}`)
  const holder = parts.findIndex((part) => part === 'properties' || part === 'person_properties')
  const column = holder < 0 ? parts : parts.slice(0, holder + 1)
  const sql = column.map((part) => identifier(visible(part))).join('.')
  if (column.length === parts.length) return sql
  const path = parts.slice(holder + 1).map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return `json_extract_string(${sql}, ${stringLiteral(path.join(''))})`
}

function readsCopies(chain: readonly string[]): boolean {
  if (chain.length > 1 && chain.at(-1) === '*') return true
  const at = chain.indexOf('properties')
  if (at < 0) return false
  return at === chain.length - 1 || /^\$set(_once)?$/.test(chain[at + 1]!)
}

/** A name in quotes, as DuckDB wants it. */
function identifier(name: string): string {
  return name === '*' ? name : `"${name.replaceAll('"', '""')}"`
}

export function stringLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
