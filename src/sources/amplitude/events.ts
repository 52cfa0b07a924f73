import { rm } from 'node:fs/promises'
import { retrying } from '../../http/retry.ts'
import { GIB, MS_PER_HOUR } from '../../text/units.ts'
import { saveAnswer } from '../answer-bytes.ts'
import type { PieceCall, VendorCall } from '../source.ts'
import { type Expected, type VendorClient, VendorError, WEB_PAGE } from '../vendor-client.ts'
import { formatUtc, type Window } from '../window.ts'
import { eventsIn } from './archive-members.ts'

/** Twice what Amplitude packs into one answer. */
const MOST_BYTES = 8 * GIB

/** Path and query of an export. Amplitude's `end` is the last hour that is included. */
export function amplitudeExportPath(start: number, end: number): string {
  const hour = (instant: number) => new Date(instant).toISOString().slice(0, 13).replaceAll('-', '')
  return `/api/2/export?start=${hour(start)}&end=${hour(end - MS_PER_HOUR)}`
}

/**
 * A window's events, one JSON object on each line. A zip archive is read from its end, so it is downloaded first. A
 * window that is too large for one archive is fetched in halves. If there is no data, the window is empty.
 */
export async function* exportWindow(
  client: VendorClient,
  window: Window,
  call: PieceCall,
): AsyncGenerator<Buffer> {
  const archives: string[] = []
  try {
    await download({ client, call, archives }, window.start, window.end)
    const note = (text: string) => call.note(`${window.name}: ${text}`)
    for (const path of archives) yield* eventsIn(path, client.vendor, note)
  } finally {
    for (const path of archives) await rm(path, { force: true })
  }
}

interface Download {
  readonly client: VendorClient
  readonly call: VendorCall
  /** The paths of the archives, in the order of their hours. */
  readonly archives: string[]
}

async function download(into: Download, start: number, end: number): Promise<void> {
  const { call, archives } = into
  const path = call.scratch(`amplitude-${formatUtc(start)}-${formatUtc(end)}`)
  const single = end - start <= MS_PER_HOUR
  const request = { path: amplitudeExportPath(start, end), unusual: single ? unusualForHour : unusualForMore }
  try {
    await retrying(() => downloadOne(into, request, path), call.retry)
    archives.push(path)
  } catch (error) {
    await rm(path, { force: true })
    if (error instanceof NoData) return
    if (!(error instanceof TooMuch)) throw error
    if (single) throw tooLarge(start, error.message)
    const middle = start + Math.floor((end - start) / MS_PER_HOUR / 2) * MS_PER_HOUR
    call.note(`${formatUtc(start)}: too much for one answer, asking for its halves`)
    await download(into, start, middle)
    await download(into, middle, end)
  }
}

async function downloadOne(
  { client, call }: Download,
  request: { readonly path: string; readonly unusual: Expected },
  path: string,
): Promise<void> {
  const headers = { accept: 'application/zip' }
  const asked = { method: 'GET', path: request.path, headers } as const
  const answer = await client.ask(asked, call.signal, request.unusual)
  await saveAnswer(answer, path, { most: MOST_BYTES, whose: `${client.vendor}'s archive` })
}

class NoData extends VendorError {}
class TooMuch extends VendorError {}

const unusualForMore: Expected = (status, words, raw) => {
  if (status === 504) return new TooMuch(said(status, words), { code: 'unavailable' })
  return unusualForHour(status, words, raw)
}

// One hour cannot be halved, so its timeout is tried again as usual.
const unusualForHour: Expected = (status, words) => {
  // A page comes from something in between: it says nothing of the data.
  if (status === 404 && words !== WEB_PAGE) return new NoData(said(status, words), { code: 'unavailable' })
  // 400 can mean bad parameters or too much data. Our parameters are whole hours in the past, so it is the size.
  if (status === 400) return new TooMuch(said(status, words), { code: 'unavailable' })
  return undefined
}

function said(status: number, words: string): string {
  return `${status}${words ? `: ${words}` : ''}`
}

function tooLarge(start: number, said: string): VendorError {
  const message = `Amplitude cannot export the hour ${formatUtc(start)}: it is over 4 GB or takes too long (${said})`
  return new VendorError(message, {
    code: 'unavailable',
    fate: 'reject',
    hint: "take this hour from Amplitude's export to Amazon S3, and the hours around it from here",
  })
}
