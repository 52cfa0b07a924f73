import {
  GetObjectCommand,
  type GetObjectCommandInput,
  type GetObjectCommandOutput,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3'
import { PosthaulError } from '../errors.ts'
import { NetworkError } from '../http/network-error.ts'
import { MIB } from '../text/units.ts'
import { failureOf, isMissing, isNoSuchKey, noBucket, s3Error } from './s3-error.ts'
import type { ByteRange, Loaded } from './store.ts'

/** No state and no manifest is larger. */
const MOST_LOADED = 256 * MIB

/** An object to read. `etag`: the one that a listing gave. */
interface ReadRequest {
  readonly key: { readonly Bucket: string; readonly Key: string }
  /** For messages. */
  readonly address: string
  readonly range?: ByteRange | undefined
  readonly etag?: string | undefined
  /** How many answers in a row may break off before they bring a byte. */
  readonly attempts: number
  /** Told the ETag of the object, before its first byte. */
  readonly found?: (etag: string | undefined) => void
}

/**
 * An object's bytes, all of one state of it. An answer that breaks off is asked for again from where it stopped. Code `mismatch` when the object is replaced on the way, or is not the one with the ETag.
 */
export async function* readObject(
  client: S3Client,
  { key, address, range, etag, attempts, found }: ReadRequest,
): AsyncGenerator<Buffer> {
  if (range && range.end <= range.start) return
  let at = range?.start ?? 0
  const last = range ? range.end - 1 : ''
  let version = etag
  for (let attempt = 1; ; attempt++) {
    const before = at
    try {
      const wanted = at > 0 || range ? { Range: `bytes=${at}-${last}` } : {}
      const answer = await answerFrom(client, at, { ...key, ...wanted, ...unchanged(version) })
      if (answer === undefined) return
      version ??= answer.ETag
      assertWanted(answer, at, version, address)
      found?.(version)
      const left = (range?.end ?? Number.POSITIVE_INFINITY) - at
      for await (const chunk of firstOf(answer.Body as AsyncIterable<Uint8Array>, left)) {
        at += chunk.length
        yield chunk
      }
      assertWhole(answer, at, range, address)
      return
    } catch (error) {
      const end = endOf(error, address, version !== undefined)
      if (end !== undefined) throw end
      // However often a long file breaks off, each answer brought some of it.
      if (at > before) attempt = 1
      if (attempt >= attempts) throw s3Error(error, 'read', address)
    }
  }
}

/**
 * A whole object in memory, or undefined when there is none. One that is replaced between two answers, as a lease is, is read
 * anew.
 */
export async function loadObject(
  client: S3Client,
  request: Omit<ReadRequest, 'range' | 'etag' | 'found'>,
): Promise<Loaded | undefined> {
  for (let attempt = 1; ; attempt++) {
    const chunks: Buffer[] = []
    let length = 0
    let version = ''
    const found = (etag = '') => {
      version = etag
    }
    try {
      for await (const chunk of readObject(client, { ...request, found })) {
        length += chunk.length
        if (length > MOST_LOADED) throw tooLarge(request.address)
        chunks.push(chunk)
      }
      return { bytes: Buffer.concat(chunks), version }
    } catch (error) {
      if (error instanceof PosthaulError && isNoSuchKey(error.cause)) return undefined
      const isReplaced = error instanceof PosthaulError && error.code === 'mismatch'
      if (!isReplaced || attempt >= request.attempts) throw error
    }
  }
}

function tooLarge(address: string): PosthaulError {
  return new PosthaulError(
    `${address} is larger than ${MOST_LOADED} bytes, so it can't be what it is named for`,
    {
      code: 'input',
      hint: 'check the address, and what is between here and the service',
    },
  )
}

const unchanged = (version: string | undefined) => (version === undefined ? {} : { IfMatch: version })

/** A range says where it ends: an answer that is shorter has broken off, whatever length it gives. */
function assertWhole(
  { ContentRange = '' }: GetObjectCommandOutput,
  at: number,
  range: ByteRange | undefined,
  address: string,
): void {
  const said = Number(/^bytes \d+-(\d+)\//.exec(ContentRange)?.[1] ?? -1) + 1
  if (at >= Math.min(said, range?.end ?? said)) return
  throw new NetworkError(`${address}: the answer is shorter than it says`, 'reset')
}

/** The first `most` bytes. Some services answer with more than the range, or without an end. */
async function* firstOf(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Buffer> {
  let left = most
  for await (const chunk of body) {
    const length = Math.min(chunk.length, left)
    left -= length
    yield Buffer.from(chunk.buffer, chunk.byteOffset, length)
    if (left === 0) return
  }
}

/** Undefined where the object ends before `at`: a range after its end is empty, not an error. A refusal alone doesn't prove that. */
async function answerFrom(
  client: S3Client,
  at: number,
  wanted: GetObjectCommandInput,
): Promise<GetObjectCommandOutput | undefined> {
  try {
    return await client.send(new GetObjectCommand(wanted))
  } catch (error) {
    const { Range, ...whole } = wanted
    if (Range === undefined || failureOf(error).status !== 416) throw error
    const { ContentLength } = await client.send(new HeadObjectCommand(whole))
    if (ContentLength !== undefined && ContentLength <= at) return undefined
    throw error
  }
}

/** Not every service keeps the conditions of a read. */
function assertWanted(
  { ETag, ContentRange }: GetObjectCommandOutput,
  at: number,
  version: string | undefined,
  address: string,
): void {
  if (ETag === undefined) throw noBucket('read', address)
  if (!isSameETag(ETag, version)) throw replaced(address)
  if (at > 0 && !ContentRange?.startsWith(`bytes ${at}-`)) throw rangeIgnored(address)
}

/** The error that ends the reading; undefined after an answer that broke off. `isListed`: the object was there before. */
function endOf(error: unknown, address: string, isListed: boolean): unknown {
  if (error instanceof PosthaulError && !(error instanceof NetworkError)) return error
  const { status } = failureOf(error)
  if (status === 412 || (isListed && isMissing(error))) return replaced(address, error)
  return status === undefined ? undefined : s3Error(error, 'read', address)
}

/** An ETag in the form of the answers: some services list it without quotes, some answer with a weak one. */
export function plainETag(etag: string): string {
  return `"${etag.replace(/^W\//, '').replaceAll('"', '')}"`
}

function isSameETag(one: string, other: string | undefined): boolean {
  return other !== undefined && plainETag(one) === plainETag(other)
}

function replaced(address: string, cause?: unknown): PosthaulError {
  return new PosthaulError(`${address} was replaced or removed since it was listed`, {
    code: 'mismatch',
    hint: 'let nothing write to the inputs, then begin anew',
    cause,
  })
}

function rangeIgnored(address: string): PosthaulError {
  return new PosthaulError(`cannot read ${address}: its service answers with another range of bytes`, {
    code: 'unavailable',
    hint: 'check AWS_ENDPOINT_URL_S3, and what is between here and the service',
  })
}
