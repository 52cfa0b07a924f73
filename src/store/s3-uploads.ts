import { createHash, randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import { PosthaulError } from '../errors.ts'
import { MIB } from '../text/units.ts'
import { failureOf, noBucket, s3Error } from './s3-error.ts'
import type { S3Location } from './s3-location.ts'
import type { Body, Put, PutCondition } from './store.ts'

/** A multipart upload that was begun and not completed. */
export interface Upload {
  readonly Key: string
  readonly UploadId: string
}

/** All uploads under way in a place: those of running puts, and what killed ones left. Throws the SDK's errors. */
export async function uploadsUnderWay(
  client: S3Client,
  { bucket, prefix }: S3Location,
  location: string,
): Promise<Upload[]> {
  const start = prefix === '' ? '' : `${prefix}/`
  const found: Upload[] = []
  let after: { KeyMarker?: string; UploadIdMarker?: string } | undefined = {}
  while (after) {
    const page: Awaited<ReturnType<typeof pageAfter>> = await pageAfter(client, bucket, start, after)
    if (page.IsTruncated === undefined) throw noBucket('list', location)
    for (const { Key, UploadId } of page.Uploads ?? [])
      if (Key !== undefined && UploadId !== undefined) found.push({ Key, UploadId })
    const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page
    const next =
      IsTruncated && KeyMarker ? { KeyMarker, ...(UploadIdMarker && { UploadIdMarker }) } : undefined
    // The same page again would be listed for ever.
    if (next && isDeepStrictEqual(next, after)) throw noBucket('list', location)
    after = next
  }
  return found
}

function pageAfter(
  client: S3Client,
  Bucket: string,
  Prefix: string,
  after: { KeyMarker?: string; UploadIdMarker?: string },
) {
  return client.send(new ListMultipartUploadsCommand({ Bucket, Prefix, ...after }))
}

/** All parts of an upload but the last must have 5 MiB, and there may be 10,000 of them: later ones are larger. */
const PIECE_BYTES = 8 * MIB
const LARGE_AFTER = 1000
const LARGE_PIECE_BYTES = 64 * MIB

/** A piece of a body, for one part of an upload; the last one may be smaller. */
interface S3Piece {
  readonly bytes: Buffer
  readonly last: boolean
}

/** A body cut into pieces, hashed on the way. */
export interface Pieces extends AsyncGenerator<S3Piece, void, void> {
  /** Size and sha256 of what has been read so far. */
  sum(): Omit<Put, 'version'>
  /** True for an error that the body itself threw. */
  failed(error: unknown): boolean
}

/**
 * Cuts a body into pieces; an empty body has none. A piece is valid until the next one is asked for: all use one
 * buffer, as the chunks of bodies do.
 */
export function piecesOf(body: Body): Pieces {
  const hash = createHash('sha256')
  let bytes = 0
  let failure: { readonly error: unknown } | undefined
  async function* read(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body instanceof Uint8Array ? [body] : body) {
        hash.update(chunk)
        bytes += chunk.length
        yield chunk
      }
    } catch (error) {
      failure = { error }
      throw error
    }
  }
  return Object.assign(cut(read()), {
    sum: () => ({ bytes, sha256: hash.copy().digest('hex') }),
    failed: (error: unknown) => failure !== undefined && failure.error === error,
  })
}

async function* cut(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<S3Piece, void, void> {
  let held: Buffer = Buffer.alloc(0)
  let length = 0
  let count = 0
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const limit = count < LARGE_AFTER ? PIECE_BYTES : LARGE_PIECE_BYTES
      // More bytes follow, so this piece is not the last one.
      if (length === limit) {
        yield { bytes: held.subarray(0, length), last: false }
        count++
        length = 0
      }
      const taken = Math.min(limit - length, chunk.length - at)
      held = withRoom(held, length, length + taken, limit)
      held.set(chunk.subarray(at, at + taken), length)
      length += taken
      at += taken
    }
  }
  if (length > 0) yield { bytes: held.subarray(0, length), last: true }
}

/** The buffer, or a larger one with its first bytes: small files do not take a whole piece's memory. */
function withRoom(held: Buffer, filled: number, wanted: number, limit: number): Buffer {
  if (wanted <= held.length) return held
  const larger = Buffer.allocUnsafe(Math.min(limit, Math.max(wanted, 2 * held.length)))
  held.copy(larger, 0, 0, filled)
  return larger
}

interface UploadTarget {
  readonly key: { readonly Bucket: string; readonly Key: string }
  readonly address: string
  readonly terms: Condition
  /** How long a failed upload waits until the bucket has dropped its parts. */
  readonly abortMs: number
  /** The file that a completion left whose answer was lost; throws the error of one that failed. */
  readonly storedBefore: (error: unknown) => Promise<{ readonly ETag: string }>
}

/** Writes a file in parts, of which `first` is the first one. Returns its version. */
export async function putInParts(
  client: S3Client,
  first: Buffer,
  rest: Pieces,
  { key, address, terms, abortMs, storedBefore }: UploadTarget,
): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(key))
  if (UploadId === undefined) throw noBucket('write', address)
  const parts: { ETag: string; PartNumber: number }[] = []
  const upload = async (bytes: Buffer) => {
    const PartNumber = parts.length + 1
    const part = { ...key, UploadId, PartNumber, Body: bytes, ContentMD5: md5(bytes) }
    const { ETag } = await client.send(new UploadPartCommand(part))
    parts.push({ ETag: stored(ETag, address), PartNumber })
  }
  try {
    await upload(first)
    for await (const { bytes } of rest) await upload(bytes)
    const whole = { ...key, ...terms, UploadId, MultipartUpload: { Parts: parts } }
    const { ETag } = await client.send(new CompleteMultipartUploadCommand(whole)).catch(storedBefore)
    return stored(ETag, address)
  } catch (error) {
    const abort = new AbortMultipartUploadCommand({ ...key, UploadId })
    await client.send(abort, { abortSignal: AbortSignal.timeout(abortMs) }).catch(() => undefined)
    throw error
  }
}

/** The version of what was written: a bucket that has stored something names it. */
export function stored(etag: string | undefined, address: string): string {
  if (etag === undefined) throw noBucket('write', address)
  return etag
}

export function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('base64')
}

export type Condition = { IfNoneMatch?: '*'; IfMatch?: string }

export function termsOf(condition: PutCondition): Condition {
  return condition === 'absent' ? { IfNoneMatch: '*' } : { IfMatch: condition.version }
}

/** Finds out whether a bucket keeps conditions, by puts of a tiny object: some services silently ignore them. */
export async function keepsConditions(
  client: S3Client,
  { bucket, prefix }: S3Location,
  location: string,
): Promise<boolean> {
  const folder = prefix === '' ? '' : `${prefix}/`
  const probe = { Bucket: bucket, Key: `${folder}.probe-${randomUUID().slice(0, 8)}` }
  const put = async (terms: Condition): Promise<number> => {
    try {
      const { ETag } = await client.send(new PutObjectCommand({ ...probe, ...terms, Body: 'probe' }))
      if (ETag === undefined) throw noBucket('write', location)
      return 200
    } catch (error) {
      const { status } = failureOf(error)
      if (status === 412 || status === 409 || status === 501 || status === 400) return status
      throw s3Error(error, 'write', location)
    }
  }
  // What refuses this too, refuses all: that tells nothing of conditions.
  if ((await put({})) !== 200) throw noBucket('write', location)
  const taken = await put({ IfNoneMatch: '*' })
  const stale = await put({ IfMatch: '"00000000000000000000000000000000"' })
  await client.send(new DeleteObjectCommand(probe)).catch(() => undefined)
  return [taken, stale].every((status) => status === 412 || status === 409)
}

/** The refusal of a put on a condition that its bucket ignores. `singleWriter`: the command's setting, if it has one. */
export function ignoresConditions(location: string, singleWriter: boolean | undefined): PosthaulError {
  const option =
    singleWriter === undefined
      ? ''
      : ', or set POSTHAUL_SINGLE_WRITER=true (import.singleWriter in posthaul.config.json) if no other run writes there'
  return new PosthaulError(
    `${location} cannot keep two runs apart: its service knows no conditional writes`,
    {
      code: 'config',
      hint: `use a bucket at AWS, R2 or a current MinIO, or a folder on this machine${option}`,
    },
  )
}
