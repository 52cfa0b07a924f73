import { rm } from 'node:fs/promises'
import { retrying } from '../../http/retry.ts'
import { ARCHIVE_CAPS, ArchiveBudget, ArchiveError, type ArchiveMember } from '../../inputs/archive.ts'
import { fileSource, readMember, zipMembers } from '../../inputs/zip.ts'
import { GIB, MS_PER_HOUR } from '../../text/units.ts'
import { firstFew } from '../../text/words.ts'
import { saveAnswer } from '../answer-bytes.ts'
import { gunzipped, LineTally, tallied } from '../line-tally.ts'
import type { PieceCall, VendorCall } from '../source.ts'
import { cutShort, type Expected, type VendorClient, VendorError, WEB_PAGE } from '../vendor-client.ts'
import { formatUtc, type Window } from '../window.ts'

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
  const { client, call, archives } = into
  const path = call.scratch(`amplitude-${formatUtc(start)}-${formatUtc(end)}`)
  const single = end - start <= MS_PER_HOUR
  const headers = { accept: 'application/zip' }
  const request = { method: 'GET', path: amplitudeExportPath(start, end), headers } as const
  try {
    const fetch = async () => {
      const answer = await client.ask(request, call.signal, single ? unusualForHour : unusualForMore)
      await saveAnswer(answer, path, { most: MOST_BYTES, whose: `${client.vendor}'s archive` })
    }
    await retrying(fetch, call.retry)
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

/** How the vendor names a member today: `<project>_<day>_<hour>#<part>.json.gz`. */
const USUAL = /_\d{4}-\d{2}-\d{2}_\d{1,2}#\d+\.json\.gz$/
const GZIP = '\x1f\x8b'
const MOST_NAMES = 5

/**
 * The events in an archive, one JSON object on each line. No document promises the names of the members: one of another
 * name is read if JSON objects are in it, and the others are named by `note`. Throws an error with the fate `reject` if there are
 * members, and none of them can be read.
 */
async function* eventsIn(path: string, vendor: string, note: (text: string) => void): AsyncGenerator<Buffer> {
  const named = { ...(await fileSource(path)), name: `${vendor}'s answer` }
  const budget = new ArchiveBudget(named, ARCHIVE_CAPS)
  const skipped: string[] = []
  try {
    const members = await zipMembers(named)
    for (const member of members) {
      const lines = await linesOf(member, budget.counted(readMember(named, member)), budget, vendor)
      // A member's last line may lack its line end: the next member's first line must not be joined to it.
      if (lines) yield* tallied(lines, new LineTally())
      else skipped.push(member.name)
    }
    if (skipped.length > 0) sayOf(skipped, members.length, vendor, note)
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error
    if (error.kind === 'damaged') throw cutShort(error.message, error)
    throw new VendorError(error.message, { code: 'input', fate: 'reject', cause: error })
  }
}

/** A member's lines; undefined for one that holds something else. */
async function linesOf(
  { name }: ArchiveMember,
  packed: AsyncIterable<Buffer>,
  budget: ArchiveBudget,
  vendor: string,
): Promise<AsyncIterable<Buffer> | undefined> {
  const begun = await beginning(packed, 2)
  const isPacked = USUAL.test(name) || begun.head.toString('latin1').startsWith(GZIP)
  const bytes = isPacked ? budget.counted(gunzipped(begun.all, vendor)) : begun.all
  if (USUAL.test(name)) return bytes
  const { head, all } = await beginning(bytes, 1)
  if (head.length === 0 || head[0] === 0x7b) return all
  await all.return(undefined)
  return undefined
}

/** The first bytes of a stream that are not blank, `least` of them if it has so many, and all of it. */
async function beginning(
  body: AsyncIterable<Buffer>,
  least: number,
): Promise<{ readonly head: Buffer; readonly all: AsyncGenerator<Buffer> }> {
  const chunks = body[Symbol.asyncIterator]()
  const read: Buffer[] = []
  let head = Buffer.alloc(0)
  let isOver = false
  while (head.length < least && !isOver) {
    const next = await chunks.next()
    isOver = next.done === true
    if (next.done) break
    read.push(next.value)
    head = Buffer.from(Buffer.concat([head, next.value]).toString('latin1').trimStart(), 'latin1')
  }
  async function* all() {
    try {
      yield* read
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  return { head, all: all() }
}

function sayOf(skipped: readonly string[], members: number, vendor: string, note: (text: string) => void) {
  const names = firstFew(skipped, MOST_NAMES)
  if (skipped.length === members) {
    throw new VendorError(`${vendor}'s archive holds events in none of its ${members} members: ${names}`, {
      code: 'unavailable',
      fate: 'reject',
      hint: "the vendor's archives may have changed: keep one, and ask whoever maintains posthaul",
    })
  }
  note(`${skipped.length} of ${members} members of ${vendor}'s archive hold no events: ${names}`)
}
