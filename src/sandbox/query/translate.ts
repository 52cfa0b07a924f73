import type { Derived } from '../store/store.ts'
import { RENAMED } from './macros.ts'
import { QueryError, type Token, tokenize } from './tokens.ts'

/** The rows of a query without LIMIT, and the most rows of any query. */
export const DEFAULT_LIMIT = 100
export const MAX_LIMIT = 50_000

/** A query in DuckDB's language. */
export interface Translation {
  readonly sql: string
  /** The derived tables it reads. */
  readonly needs: readonly Derived[]
  /** It looks at the whole of an event's properties, or at their `$set` or `$set_once`. */
  readonly copies: boolean
  readonly limit: number
  readonly offset: number
}

// The store's own tables, and DuckDB's functions that read the machine, are not part of the service.
const HIDDEN = /^(sandbox_|duckdb_|pragma_|pg_|sqlite_|information_schema$|read_|query$|query_table$)/i
const NEEDS = new Map<string, Derived>([
  ['groups', 'groups'],
  ['person', 'persons'],
  ['persons', 'persons'],
  ['person_id', 'persons'],
  ['person_properties', 'persons'],
  ['person_distinct_ids', 'persons'],
])

/** Turns a query of the service's language into DuckDB's. `capped` applies the endpoint's row limits. */
export function translate(query: string, { capped }: { capped: boolean }): Translation {
  const tokens = trimmed(tokenize(query))
  for (const { kind, text } of tokens) {
    if (kind === 'name' && HIDDEN.test(text)) throw new QueryError(`Unknown table or function '${text}'.`)
  }
  const { body, limit, offset } = limits(tokens, capped)
  return {
    sql: render(body),
    needs: [...new Set(tokens.flatMap(({ kind, text }) => (kind === 'name' ? (NEEDS.get(text) ?? []) : [])))],
    copies: readsCopies(body),
    limit,
    offset,
  }
}

function readsCopies(tokens: readonly Token[]): boolean {
  return tokens.some(({ kind, text }, at) => {
    if (text === '*') return true
    if (kind !== 'name' || text !== 'properties') return false
    const { names } = readChain(tokens, at)
    return names.length === 1 || /^\$set(_once)?$/.test(names[1]?.text ?? '')
  })
}

function trimmed(tokens: readonly Token[]): Token[] {
  let end = tokens.length
  while (end > 0 && (tokens[end - 1]!.kind === 'space' || tokens[end - 1]!.text === ';')) end--
  return tokens.slice(0, end)
}

/** Asks for one row more than the limit, so that the answer knows whether there are more. */
function limits(tokens: readonly Token[], capped: boolean) {
  const limitAt = topLevel(tokens, 'LIMIT')
  const offset = numberAfter(tokens, topLevel(tokens, 'OFFSET'))?.value ?? 0
  const given = numberAfter(tokens, limitAt)
  if (!capped) return { body: tokens, limit: given?.value ?? 0, offset }
  const limit = Math.min(given?.value ?? (limitAt < 0 ? DEFAULT_LIMIT : MAX_LIMIT), MAX_LIMIT)
  const more: Token = { kind: 'number', text: String(limit + 1), quoted: false }
  if (given) return { body: tokens.with(given.at, more), limit, offset }
  if (limitAt >= 0) return { body: tokens, limit, offset }
  const keyword: Token = { kind: 'other', text: ' LIMIT ', quoted: false }
  return { body: [...tokens, keyword, more], limit, offset }
}

/** The index of the last token that is this keyword and outside all parentheses; -1 if there is none. */
function topLevel(tokens: readonly Token[], keyword: string): number {
  let depth = 0
  let found = -1
  tokens.forEach(({ kind, text, quoted }, at) => {
    if (kind === 'other' && (text === '(' || text === '[')) depth++
    if (kind === 'other' && (text === ')' || text === ']')) depth--
    if (depth === 0 && kind === 'name' && !quoted && text.toUpperCase() === keyword) found = at
  })
  return found
}

function numberAfter(tokens: readonly Token[], at: number): { at: number; value: number } | undefined {
  if (at < 0) return undefined
  const next = tokens.findIndex(({ kind }, index) => index > at && kind !== 'space')
  const token = tokens[next]
  return token?.kind === 'number' ? { at: next, value: Number(token.text) } : undefined
}

function render(tokens: readonly Token[]): string {
  let sql = ''
  for (let at = 0; at < tokens.length; ) {
    const token = tokens[at]!
    if (token.kind === 'name') {
      const chain = readChain(tokens, at)
      sql += renderChain(chain.names, tokens[chain.end]?.text === '(')
      at = chain.end
    } else {
      sql += token.kind === 'string' ? stringLiteral(token.text) : token.text
      at++
    }
  }
  return sql
}

/** Names joined by dots, `properties['key']` as one more of them. */
function readChain(tokens: readonly Token[], start: number): { names: Token[]; end: number } {
  const names = [tokens[start]!]
  let end = start + 1
  while (true) {
    const [first, second, third] = [tokens[end], tokens[end + 1], tokens[end + 2]]
    if (first?.text === '.' && first.kind === 'other' && second?.kind === 'name') {
      names.push(second)
      end += 2
    } else if (first?.text === '[' && second?.kind === 'string' && third?.text === ']') {
      names.push({ kind: 'name', text: second.text, quoted: true })
      end += 3
    } else return { names, end }
  }
}

function renderChain(names: readonly Token[], isCall: boolean): string {
  const [first] = names
  if (names.length === 1 && first) {
    if (isCall && !first.quoted) return RENAMED.get(first.text) ?? first.text
    return first.quoted || first.text.includes('$') ? identifier(first.text) : first.text
  }
  const parts = names.map(({ text }) => text)
  const person = parts.indexOf('person')
  // `person.properties.x` of an event: its columns are part of the events table here.
  if (person >= 0 && person < parts.length - 1) parts.splice(person, 2, `person_${parts[person + 1]}`)
  const holder = parts.findIndex((part) => part === 'properties' || part === 'person_properties')
  if (holder < 0 || holder === parts.length - 1) return parts.map(identifier).join('.')
  const column = parts
    .slice(0, holder + 1)
    .map(identifier)
    .join('.')
  const path = parts.slice(holder + 1).map((key) => `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  return `json_extract_string(${column}, ${stringLiteral(path.join(''))})`
}

function identifier(name: string): string {
  return name === '*' ? name : `"${name.replaceAll('"', '""')}"`
}

function stringLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
