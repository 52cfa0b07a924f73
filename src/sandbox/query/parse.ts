import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import createParser, { type HogQLParser } from '@posthog/hogql-parser'
import type { Query } from './ast.ts'
import { QueryForm } from './form.ts'

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
