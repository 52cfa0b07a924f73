import { objectOrEmpty, parsedOrNone } from '../../text/json.ts'
import { MIB } from '../../text/units.ts'
import { gunzipped, LineTally } from '../line-tally.ts'
import type { VendorCall } from '../source.ts'
import { cutShort, type VendorClient, VendorError } from '../vendor-client.ts'

// No event is larger.
const LAST_LINE_BYTES = 32 * MIB
const TERMINATED = /^(?:export )?terminated early\b/i

export interface ExportFilter {
  readonly projectId: string | undefined
  readonly events: readonly string[]
}

/** Path and query of days of the raw export, both included. */
export function mixpanelExportPath(
  { from, to }: { readonly from: string; readonly to: string },
  { projectId, events }: ExportFilter,
): string {
  const query = new URLSearchParams({ from_date: from, to_date: to })
  if (projectId !== undefined) query.set('project_id', projectId)
  if (events.length > 0) query.set('event', JSON.stringify(events))
  // Whole seconds are the default: sub-second order would be lost.
  query.set('time_in_ms', 'true')
  return `/api/2.0/export?${query}`
}

/** One day's events, one JSON object on each line. */
export async function* exportDay(
  client: VendorClient,
  path: string,
  call: VendorCall,
): AsyncGenerator<Buffer> {
  const headers = { accept: 'text/plain', 'accept-encoding': 'gzip' }
  const answer = await client.ask({ method: 'GET', path, headers }, call.signal, tooEarly)
  const zipped = answer.headers['content-encoding'] === 'gzip'
  const { 'content-length': length, 'transfer-encoding': pieces } = answer.headers
  // Of lines that end with the connection nobody can tell whether they are all.
  if (!zipped && length === undefined && pieces === undefined)
    throw cutShort(`${client.vendor}'s answer does not say where it ends`)
  yield* checked(zipped ? gunzipped(answer.body, client.vendor) : answer.body, client)
}

function tooEarly(status: number, words: string, raw: string): VendorError | undefined {
  if (status !== 400 || !/to_date cannot be later/.test(raw)) return undefined
  return new VendorError(`Mixpanel answered 400: ${words}`, {
    code: 'usage',
    hint: '--to is later than today in the time zone of the project: end a day earlier',
  })
}

/** Passes an export on and checks its beginning and end: with status 200 it can be cut short, or not Mixpanel's. */
async function* checked(body: AsyncIterable<Buffer>, client: VendorClient): AsyncGenerator<Buffer> {
  const tally = new LineTally(LAST_LINE_BYTES)
  let begun = false
  for await (const chunk of body) {
    if (!begun) {
      const text = chunk.toString('latin1').trimStart()
      begun = text !== ''
      // `terminated early` may also be the whole answer.
      if (begun && !text.startsWith('{') && !TERMINATED.test(text)) throw foreignAnswer(client, chunk)
    }
    tally.push(chunk)
    yield chunk
  }
  const last = tally.lastLine()
  if (last === undefined && tally.isLong)
    throw cutShort(`${client.vendor}: the last line of the export is cut off`)
  if (last === undefined) return
  if (TERMINATED.test(last)) throw cutShort(`${client.vendor} ended the export early ("${last}")`)
  if (!isEvent(last)) throw cutShort(`${client.vendor}: the last line of the export is not a whole event`)
}

function isEvent(line: string): boolean {
  return 'event' in objectOrEmpty(parsedOrNone(line))
}

function foreignAnswer(client: VendorClient, chunk: Buffer): VendorError {
  const said = client.redact(chunk.toString('utf8', 0, 200))
  return cutShort(`${client.vendor} answered 200, but with no events: ${said}`)
}
