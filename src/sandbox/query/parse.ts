import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import createParser, { type HogQLParser } from '@posthog/hogql-parser'
import type { Query } from './ast.ts'

/** A mark that no query has of its own. */
const MARK = '\u{f8ff}'
const TEXT = String.raw`'[^'\\]*'(?!')`

/**
 * The pieces of a query in which a quote may stand: a list of three texts or more, one text, and what is left as it is (a
 * text with an escape, one such as `f'…'` or `interval '1 day'` that is more than its value, names, comments).
 */
const PIECES = new RegExp(
  [
    String.raw`(?<list>(?<=[([]\s*)${TEXT}(?:\s*,\s*${TEXT}){2,})`,
    String.raw`(?<one>(?<=[([,=<>]\s*)${TEXT})`,
    String.raw`'(?:[^'\\]|\\[^]|'')*'`,
    String.raw`"(?:[^"\\]|\\[^])*"`,
    '`(?:[^`\\\\]|\\\\[^])*`',
    '--.*',
    String.raw`/\*[^]*?\*/`,
  ].join('|'),
  'g',
)

/** Where a piece ends in the form and in the query, in code points. */
interface Move {
  readonly form: number
  readonly query: number
}

/**
 * The form of a query: a mark stands for each of its texts, and two for a list of them. The service's parser takes 20 ms
 * for a short query, and a millisecond for each text of a list; queries of one form are many.
 */
export class QueryForm {
  readonly text: string
  readonly #lists: string[][] = []
  readonly #moves: Move[] = [{ form: 0, query: 0 }]

  constructor(query: string) {
    let form = ''
    let from = 0
    for (const { 0: piece, index, groups } of query.matchAll(PIECES)) {
      const texts = groups?.list ?? groups?.one
      if (texts === undefined) continue
      const number = this.#lists.push([...texts.matchAll(/'([^']*)'/g)].map((one) => one[1]!)) - 1
      const rest = groups?.list === undefined ? '' : `, '${MARK}${number}+'`
      const between = query.slice(from, index)
      form += `${between}'${MARK}${number}'${rest}`
      from = index + piece.length
      const last = this.#moves.at(-1)!
      const start = last.form + points(between)
      const marks = `'${MARK}${number}'${rest}`
      this.#moves.push({ form: start + points(marks), query: last.query + points(between) + points(piece) })
    }
    this.text = form + query.slice(from)
  }

  /** Puts the texts, and the places in the query, into what the form was parsed to. Changes it. */
  fill<T>(parsed: T): T {
    return this.#filled(parsed) as T
  }

  #filled(node: unknown): unknown {
    if (typeof node === 'string' && node.startsWith(MARK)) return this.#lists[Number(node.slice(1))]![0]
    if (Array.isArray(node)) return node.flatMap((one) => this.#rest(one) ?? [this.#filled(one)])
    if (node === null || typeof node !== 'object') return node
    const members = node as Record<string, unknown>
    for (const [name, value] of Object.entries(members))
      members[name] =
        name === 'offset' && typeof value === 'number' ? this.#moved(value) : this.#filled(value)
    return members
  }

  /** The texts of a list from the second on, where a node stands for them. */
  #rest(node: { readonly value?: unknown } | null): unknown[] | undefined {
    const value = node?.value
    if (typeof value !== 'string' || !value.startsWith(MARK) || !value.endsWith('+')) return undefined
    const texts = this.#lists[Number(value.slice(1, -1))]!
    return texts.slice(1).map((text) => ({ ...node, value: text }))
  }

  #moved(offset: number): number {
    const move = this.#moves.findLast(({ form }) => form <= offset)!
    return offset - move.form + move.query
  }
}

function points(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A form that takes less is parsed anew by each process. */
const SLOW_MS = 50

/**
 * What slow forms of queries were parsed to, in the user's folder for caches, by the parser's version: it takes twice as long
 * with each call in a call, up to seconds. Nothing depends on it: what can't be read or written is parsed anew.
 */
export class KeptForms {
  readonly #folder: string

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const caches = env.XDG_CACHE_HOME || join(env.HOME || '/', '.cache')
    this.#folder = join(caches, 'posthaul', `queries-${parserVersion()}`)
  }

  /** The JSON that the form was parsed to; undefined for one that is not kept. */
  find(form: string): string | undefined {
    try {
      const text = readFileSync(this.#pathOf(form), 'utf8')
      // A file that is cut short doesn't count.
      JSON.parse(text)
      return text
    } catch {
      return undefined
    }
  }

  keep(form: string, json: string, tookMs: number): void {
    if (tookMs < SLOW_MS) return
    const path = this.#pathOf(form)
    const draft = `${path}.${process.pid}`
    try {
      mkdirSync(this.#folder, { recursive: true })
      writeFileSync(draft, json)
      renameSync(draft, path)
    } catch {
      // A home without room, or that can't be written to.
    }
  }

  #pathOf(form: string): string {
    return join(this.#folder, `${createHash('sha256').update(form).digest('hex')}.json`)
  }
}

function parserVersion(): string {
  const main = createRequire(import.meta.url).resolve('@posthog/hogql-parser')
  return JSON.parse(readFileSync(join(dirname(main), '../package.json'), 'utf8')).version
}

/** A query that can't be run; the message is the answer's `detail`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

let parser: Promise<HogQLParser> | undefined
let kept: KeptForms | undefined

/** Integers over 2^53, which JSON.parse would round. A quote inside a string of JSON has a backslash before it. */
const LONG_INTEGER = /"value":(-?\d{16,})(?=[,}])/g

/** What forms were parsed to, as JSON. A process asks queries of a few dozen forms. */
const parsedForms = new Map<string, string>()
const MOST_FORMS = 256

type Parsed = Query | { readonly error: true; readonly message: string }

/** Parses a query by the service's own parser. QueryError, in its words, for what it refuses. */
export async function parseQuery(query: string): Promise<Query> {
  const form = new QueryForm(query)
  const parsed = JSON.parse(await parsedForm(form.text)) as Parsed
  if (!('error' in parsed)) return form.fill(parsed)
  // The words of a refusal are those about the query itself.
  const whole = JSON.parse(await parsedText(query)) as Parsed
  if ('error' in whole) throw new QueryError(whole.message)
  return whole
}

async function parsedForm(form: string): Promise<string> {
  kept ??= new KeptForms(process.env)
  const known = parsedForms.get(form) ?? kept.find(form)
  const begin = performance.now()
  const json = known ?? (await parsedText(form))
  if (known === undefined) kept.keep(form, json, performance.now() - begin)
  if (parsedForms.size === MOST_FORMS) parsedForms.clear()
  parsedForms.set(form, json)
  return json
}

async function parsedText(query: string): Promise<string> {
  parser ??= createParser()
  const { parseSelect } = await parser
  return parseSelect(query).replaceAll(LONG_INTEGER, '"value":"$1","value_type":"number"')
}
