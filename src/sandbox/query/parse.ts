import createParser, { type HogQLParser } from '@posthog/hogql-parser'
import type { Query } from './ast.ts'
import { QueryForm } from './form.ts'

/** A query that can't be run; the message is the answer's `detail`. */
export class QueryError extends Error {
  override readonly name = 'QueryError'
}

let parser: Promise<HogQLParser> | undefined

/** Integers over 2^53, which JSON.parse would round. A quote inside a string of JSON has a backslash before it. */
const LONG_INTEGER = /"value":(-?\d{16,})(?=[,}])/g

/** What forms were parsed to, as JSON. A process asks queries of a few dozen forms. */
const parsedForms = new Map<string, string>()
const MOST_FORMS = 256

type Parsed = Query | { readonly error: true; readonly message: string }

/** Parses a query by the service's own parser. QueryError, in its words, for what it refuses. */
export async function parseQuery(query: string): Promise<Query> {
  parser ??= createParser()
  const { parseSelect } = await parser
  const form = new QueryForm(query)
  let text = parsedForms.get(form.text)
  if (text === undefined) {
    text = digitsKept(parseSelect(form.text))
    if (parsedForms.size === MOST_FORMS) parsedForms.clear()
    parsedForms.set(form.text, text)
  }
  const parsed = JSON.parse(text) as Parsed
  if (!('error' in parsed)) return form.fill(parsed)
  // The words of a refusal are those about the query itself.
  const whole = JSON.parse(digitsKept(parseSelect(query))) as Parsed
  if ('error' in whole) throw new QueryError(whole.message)
  return whole
}

function digitsKept(json: string): string {
  return json.replaceAll(LONG_INTEGER, '"value":"$1","value_type":"number"')
}
