import { elements, members } from '../../record/json-values.ts'
import { MIB } from '../../text/units.ts'
import { askJson, type JsonRequest } from '../answer-bytes.ts'
import type { PieceCall } from '../source.ts'
import { cutShort, type VendorClient, VendorError } from '../vendor-client.ts'

/** A Matomo: its client, the path of its index.php, and the token, which goes into bodies only. */
export interface Matomo {
  readonly client: VendorClient
  readonly path: string
  readonly token: string
}

/** JSON as text and as a value. */
type Answered = { readonly json: string; readonly value: unknown }

/** Matomo's answer, or its words where it refuses, which it does with the status 200. */
type MatomoAnswer = Answered | { readonly refusal: string }

// No text of JavaScript has twice as many.
const MOST_BYTES = 256 * MIB

/** Calls a method of the reporting API. */
export async function askMatomo(
  { client, path, token }: Matomo,
  method: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<MatomoAnswer> {
  const form = new URLSearchParams({ module: 'API', method, format: 'JSON', language: 'en', ...parameters })
  form.set('token_auth', token)
  const request: JsonRequest<Answered> = {
    ...{ method: 'POST', path, body: form.toString(), most: MOST_BYTES },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    read: (text) => ({ json: text.trim(), value: JSON.parse(text) }),
    tooLong: () => new VendorError(`${client.vendor}: a page of visits is too long`, { code: 'config' }),
    otherwise: `${client.vendor} answered 200, but with no whole JSON`,
  }
  const answer = await askJson(client, request, signal)
  const { value } = answer
  const { result, message } = (Array.isArray(value) ? {} : (value ?? {})) as Record<string, unknown>
  return result === 'error' ? { refusal: String(message) } : answer
}

/** The elements of an answer that is an array, as written. */
function elementsOf(json: string, { vendor }: VendorClient): readonly string[] {
  if (!json.startsWith('[')) throw cutShort(`${vendor} answered 200, but with no list of visits`)
  // Valid JSON has line breaks only between values: inside a line they would end it.
  return elements(json).map((visit) => visit.replaceAll(/[\r\n]/g, ' '))
}

/** What a refusal in words means. */
export function refusal(client: VendorClient, words: string): VendorError {
  const said = `${client.vendor} refused: ${client.redact(words)}`
  if (/deactivat|disabled/i.test(words)) {
    return new VendorError(said, {
      code: 'config',
      hint: 'the visits log is switched off: switch it on in Administration, Privacy, or read the database',
    })
  }
  if (/token|access|authenticat|view permission/i.test(words)) {
    return new VendorError(said, {
      code: 'auth',
      hint: 'check MATOMO_TOKEN, and that its user may view this site',
    })
  }
  return new VendorError(said, { code: 'config', hint: 'check --url and --site' })
}

/** A site's day, in its own zone: `2024-03-01`. */
interface SiteDay {
  readonly site: string
  readonly day: string
}

/** Visits asked for at once, to begin with. */
const PAGE = 500
/** What Matomo says when a query took longer than `live_query_max_execution_time`. */
const TOO_LONG = /execution_time|execution time|took too long|timed? ?out|too many (?:visits|rows)|\blimit\b/i

/** All visits of a day, a line each, as Matomo has them; `from` is added to each as its member `(export)`. */
export async function* visitsOfDay(
  matomo: Matomo,
  { site, day }: SiteDay,
  from: Readonly<Record<string, string>>,
  call: PieceCall,
): AsyncGenerator<Buffer> {
  const end = `,"(export)":${JSON.stringify(from)}}\n`
  const seen = new Set<string>()
  let limit = PAGE
  for (let offset = 0; ; ) {
    const page = {
      ...{ idSite: site, period: 'day', date: day, filter_sort_order: 'asc' },
      ...{ filter_limit: String(limit), filter_offset: String(offset) },
    }
    const answer = await askMatomo(matomo, 'Live.getLastVisitsDetails', page, call.signal)
    if ('refusal' in answer) {
      limit = halved(matomo, answer.refusal, limit, day)
      continue
    }
    const visits = elementsOf(answer.json, matomo.client)
    for (const visit of visits) {
      const id = members(visit).find(([name]) => name === 'idVisit')?.[1]
      if (!/^["\d]/.test(id ?? '')) throw cutShort(`${matomo.client.vendor} answered 200, but with no visits`)
      if (seen.has(id!))
        throw cutShort(`${matomo.client.vendor} gave a visit of ${day} twice: its pages moved`)
      seen.add(id!)
      yield Buffer.from(visit.slice(0, visit.lastIndexOf('}')) + end)
    }
    if (visits.length < limit) return
    offset += visits.length
  }
}

/** A shorter page, where the long one took Matomo too long. */
function halved(matomo: Matomo, words: string, limit: number, day: string): number {
  if (!TOO_LONG.test(words)) throw refusal(matomo.client, words)
  if (limit > 1) return Math.ceil(limit / 2)
  throw new VendorError(
    `${matomo.client.vendor} can't give a single visit of ${day}: ${matomo.client.redact(words)}`,
    {
      code: 'config',
      fate: 'reject',
      hint: 'raise live_query_max_execution_time in its config',
    },
  )
}
