import { z } from 'zod'
import { members } from '../../record/json-values.ts'
import { waitInWords } from '../../service/errors.ts'
import { sqlText } from '../../service/query.ts'
import { queryTurns } from '../../service/query-turns.ts'
import { MIB } from '../../text/units.ts'
import { askJson, type JsonRequest } from '../answer-bytes.ts'
import type { VendorCall } from '../source.ts'
import { cutShort, type Expected, passingRefusal, type VendorClient, VendorError } from '../vendor-client.ts'

// Memory holds a page as bytes, as text and as values. If a page is larger, one with fewer rows is requested.
const PAGE_BYTES = 64 * MIB

const RESULTS = '"results"'
const answerSchema = z.object({ results: z.array(z.array(z.unknown())) })
const errorWords = /memory|too (?:expensive|slow|large|many bytes)|exceed|timed? ?out|estimated/i

/** The service refuses this much at once: ask for less. */
export class TooExpensive extends VendorError {}

/** The path of a project's query endpoint. */
export function queryPath(projectId: string): string {
  return `/api/projects/${encodeURIComponent(projectId)}/query/`
}

/** A time in microseconds, as queries write it. */
export function sqlTime(text: string): string {
  return `toDateTime64(${sqlText(text)}, 6, 'UTC')`
}

/** An instant in milliseconds since the epoch, as queries write it. */
export function sqlInstant(ms: number): string {
  return sqlTime(`${new Date(ms).toISOString().slice(0, 23).replace('T', ' ')}000`)
}

/** Where a project is queried. */
export interface QueryPlace {
  readonly client: VendorClient
  readonly path: string
}

/** Runs a HogQL query and returns its rows, each with so many `columns`. `refused` knows refusals of this query. */
export async function queryRows(
  { client, path }: QueryPlace,
  { sql, columns, refused }: { readonly sql: string; readonly columns: number; readonly refused?: Expected },
  call: Pick<VendorCall, 'signal'> & Partial<Pick<VendorCall, 'note'>>,
): Promise<unknown[][]> {
  const body = JSON.stringify({ query: { kind: 'HogQLQuery', query: sql }, refresh: 'force_blocking' })
  const request: JsonRequest<unknown[][]> = {
    ...{ method: 'POST', path, body, read: rowsOf, most: PAGE_BYTES },
    headers: { 'content-type': 'application/json' },
    tooLong: () => new TooExpensive(`an answer of over ${PAGE_BYTES} bytes`, { code: 'unavailable' }),
    otherwise: `${client.vendor} answered 200, but with no rows`,
    expected: (status, words, raw) =>
      refused?.(status, words, raw) ??
      tooExpensive(status, words, raw) ??
      throttled(client, status, words, raw),
  }
  const turns = queryTurns(client.origin, path, client.limiter.clock)
  const told = ({ why }: { readonly why: string }) => call.note?.(why)
  return turns.take(call.signal, { told, waitOf: waitOfLimit }, async () => {
    const results = await askJson(client, request, call.signal)
    if (results.every((row) => row.length === columns)) return results
    throw cutShort(`${client.vendor} answered with rows of another shape`)
  })
}

function rowsOf(text: string): unknown[][] {
  const { results } = answerSchema.parse(JSON.parse(text))
  // Of two, nobody knows which is meant. Mostly there is no second one to look at.
  const isTwice = text.indexOf(RESULTS) !== text.lastIndexOf(RESULTS)
  if (!isTwice || members(text).filter(([name]) => name === 'results').length === 1) return results
  throw new SyntaxError('it has its rows twice')
}

/** A refusal for a limit that says how long to wait in its words alone. */
function throttled(
  { vendor }: VendorClient,
  status: number,
  words: string,
  raw: string,
): VendorError | undefined {
  const waitMs = status === 429 ? waitInWords(raw) : undefined
  return waitMs === undefined ? undefined : passingRefusal(`${vendor} answered 429: ${words}`, status, waitMs)
}

function waitOfLimit(error: unknown): number | undefined {
  return error instanceof VendorError && error.status === 429 ? error.waitMs : undefined
}

function tooExpensive(status: number, words: string, raw: string): VendorError | undefined {
  const refused = status === 504 || status === 512 || (status === 400 && errorWords.test(raw))
  if (!refused) return undefined
  return new TooExpensive(`${status}${words ? `: ${words}` : ''}`, { code: 'unavailable', status })
}
