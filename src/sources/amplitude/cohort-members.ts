import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream'
import { CsvError, parse } from 'csv-parse'
import type { AroundCall } from '../../around/index.ts'
import { retrying } from '../../http/index.ts'
import { scratchFolder } from '../../store/index.ts'
import { GIB, number } from '../../text/index.ts'
import { saveAnswer } from '../answer-bytes.ts'
import { fetchSigned } from '../signed-file.ts'
import { cutShort, type VendorClient } from '../vendor-client.ts'
import { type AroundAsker, notTold } from './asked-around.ts'

/** Ten million users, the most that Amplitude has ever allowed, with long ids. */
const MOST_BYTES = 2 * GIB
/** Members that are handed on together. */
const PAGE = 1000
const WHOSE = "Amplitude's file of members"
const LONGEST_ROW = 65_536

/** A file of members that is whole. */
export interface CohortFile {
  readonly members: number
  /** Those whose events have another id than the file tells. */
  readonly withoutUser: number
  /** Their distinct ids, once; then the file is gone. */
  pages(): AsyncGenerator<readonly string[]>
}

interface Fetching {
  readonly call: AroundCall
  /** How many members the list of cohorts names; undefined if it doesn't. */
  readonly size: number | undefined
}

/**
 * Fetches the file of an order that is done, by `GET /api/5/cohorts/request/<id>/file`: CSV with the columns `user_id` and
 * `amplitude_id`, or a redirect to a signed address, where the cohort is large. It can be fetched for seven days, and is the
 * same each time. A file whose length nobody told and that has fewer members than the list says is whole only if it
 * comes twice the same.
 */
export async function fetchMembers(
  { client, retry }: AroundAsker,
  request: string,
  { call, size = 0 }: Fetching,
): Promise<CohortFile> {
  const { signal } = call
  const folder = await scratchFolder('posthaul-cohort-')
  const path = join(folder, 'members.csv')
  const drop = () => rm(folder, { recursive: true, force: true })
  let before: string | undefined
  const work = async () => {
    const isMeasured = await saveFile(client, request, path, signal)
    const found = await examined(path)
    const isWhole = isMeasured || found.members >= size || found.hash === before
    before = found.hash
    if (isWhole) return found
    throw cutShort(`${WHOSE} has ${number(found.members)} rows, and the list says ${number(size)} members`)
  }
  try {
    const { members, withoutUser } = await retrying(work, { ...retry, signal })
    const pages = async function* () {
      try {
        yield* pagesOf(path)
      } finally {
        await drop()
      }
    }
    return { members, withoutUser, pages }
  } catch (error) {
    await drop()
    throw error
  }
}

/** Saves the file. True if its length was told, and is right. */
async function saveFile(
  client: VendorClient,
  request: string,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const asked = `/api/5/cohorts/request/${encodeURIComponent(request)}/file`
  const answer = await client.ask({ method: 'GET', path: asked, wants: [200, 302] }, signal, notTold)
  if (answer.status === 200) {
    await saveAnswer(answer, path, { most: MOST_BYTES, whose: WHOSE })
    return answer.headers['content-length'] !== undefined
  }
  await answer.text(0)
  const location = answer.headers.location ?? ''
  const base = `${client.origin}${asked}`
  if (location === '' || !URL.canParse(location, base)) throw cutShort(`${WHOSE} has no address`)
  const { vendor, quietMs } = client
  const of = { vendor, hint: 'run the same command again later', most: MOST_BYTES, quietMs, signal }
  return await fetchSigned(new URL(location, base), path, of)
}

/** Reads a file to its end. Throws an error with the fate `retry` for one that is no list of members. */
async function examined(path: string): Promise<{ members: number; withoutUser: number; hash: string }> {
  const hash = createHash('sha256')
  let [members, withoutUser] = [0, 0]
  for await (const page of pagesOf(path)) {
    members += page.length
    withoutUser += page.filter((one) => one.startsWith(WITHOUT_USER)).length
    hash.update(page.join('\n')).update('\n')
  }
  return { members, withoutUser, hash: hash.digest('hex') }
}

const WITHOUT_USER = 'amplitude:'

async function* pagesOf(path: string): AsyncGenerator<readonly string[]> {
  const rows = parse({ bom: true, columns: headings, skip_empty_lines: true, max_record_size: LONGEST_ROW })
  // What fails on either side ends the loop below with its error.
  pipeline(createReadStream(path), utf8Only, rows, () => undefined)
  let page: string[] = []
  try {
    for await (const row of rows as AsyncIterable<Record<string, string>>) {
      page.push(distinctId(row))
      if (page.length < PAGE) continue
      yield page
      page = []
    }
  } catch (cause) {
    if (cause instanceof CsvError) throw cutShort(`${WHOSE} is no CSV: ${cause.message}`, cause)
    throw cause
  }
  if (page.length > 0) yield page
}

/** Ids would lose signs in silence. */
async function* utf8Only(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    throw cause instanceof TypeError ? cutShort(`${WHOSE} has bytes that are no UTF-8`, cause) : cause
  }
}

function headings(names: string[]): string[] {
  if (names.includes('user_id') && names.includes('amplitude_id')) return names
  throw cutShort(`${WHOSE} has no columns user_id and amplitude_id: ${names.join(', ').slice(0, 100)}`)
}

/** The id by which the preset knows a user; of one without a user id the file tells no device. */
function distinctId({ user_id: user, amplitude_id: id = '' }: Record<string, string>): string {
  if (!/^\d*$/.test(id) || (!user && id === '')) throw cutShort(`${WHOSE} has a row without ids`)
  return user || `${WITHOUT_USER}${id}`
}
