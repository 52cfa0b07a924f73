import { createHash } from 'node:crypto'
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'
import { MS_PER_MINUTE } from '../text/units.ts'
import { lostRace } from './local.ts'
import { assertStoreName, byPartName, isStoreName } from './name.ts'
import { failureOf, isMissing, isNoUpload, noBucket, s3Error } from './s3-error.ts'
import { parseEndpoint, parseS3, type S3Location, s3Address } from './s3-location.ts'
import { loadObject, plainETag, readObject } from './s3-read.ts'
import { s3Requests } from './s3-requests.ts'
import {
  type Condition,
  ignoresConditions,
  keepsConditions,
  md5,
  type Pieces,
  piecesOf,
  putInParts,
  stored,
  termsOf,
  type Upload,
  uploadsUnderWay,
} from './s3-uploads.ts'
import type { Body, ByteRange, Loaded, Put, PutCondition, Store, StoredFile } from './store.ts'

const ATTEMPTS = 6
/** How long a failed put waits until the bucket has dropped its parts. A sweep drops what is left. */
const ABORT_MS = MS_PER_MINUTE

export interface S3StoreOptions {
  /**
   * What happens where the bucket ignores the conditions of writes. True: they are checked before the write, which is
   * enough as long as one run at a time writes. Else such a write is refused; with false the error names the option.
   */
  readonly singleWriter?: boolean | undefined
  /** For a caller who asks rather than works: the tries of a request, and the longest silence before an answer in ms. */
  readonly hurried?: { readonly attempts: number; readonly quietMs: number }
}

/**
 * A store in a bucket. Files are whole or absent: a small file is one request, a larger one a multipart upload, which
 * the bucket shows once it is completed. Versions are ETags; conditions are the bucket's own conditional writes.
 */
export class S3Store implements Store {
  readonly location: string
  readonly #place: S3Location
  readonly #client: S3Client
  readonly #attempts: number
  readonly #abortMs: number
  readonly #singleWriter: boolean | undefined
  #conditional: Promise<boolean> | undefined

  constructor(location: string, { singleWriter, hurried }: S3StoreOptions = {}) {
    this.location = location
    this.#singleWriter = singleWriter
    this.#place = parseS3(location)
    this.#attempts = hurried?.attempts ?? ATTEMPTS
    this.#abortMs = Math.min(hurried?.quietMs ?? ABORT_MS, ABORT_MS)
    // The SDK reads the variables itself, but addresses a bucket as a host's name, which most other services don't know.
    const variable = ['AWS_ENDPOINT_URL_S3', 'AWS_ENDPOINT_URL'].find((name) => process.env[name])
    const endpoint = this.#place.endpoint ?? (variable && parseEndpoint(process.env[variable]!, variable))
    // The SDK's note about Node versions is for its own users.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
    this.#client = new S3Client({
      maxAttempts: this.#attempts,
      // Once the bucket says SlowDown, all requests of this store share a pace that it keeps up with. With the other modes
      // each one tries on its own: of 50 at once, most ran out of tries.
      retryMode: 'adaptive',
      requestHandler: s3Requests(hurried?.quietMs),
      // The transport cannot send `Expect: 100-continue`.
      expectContinueHeader: false,
      // Not every service knows the SDK's checksums; every one knows Content-MD5.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== undefined && {
        endpoint,
        forcePathStyle: true,
        // Services other than AWS mostly have no regions, but a signature needs one.
        region: process.env.AWS_REGION ?? process.env.AWS_DEFAULT_REGION ?? 'us-east-1',
      }),
    })
  }

  address(name: string): string {
    assertStoreName(name)
    return s3Address(this.#place, name)
  }

  async list(): Promise<StoredFile[]> {
    const { bucket, prefix } = this.#place
    const start = prefix === '' ? '' : `${prefix}/`
    const files: StoredFile[] = []
    let token: string | undefined
    try {
      do {
        const page = await this.#client.send(
          new ListObjectsV2Command({
            Bucket: bucket,
            Prefix: start,
            ...(token !== undefined && { ContinuationToken: token }),
          }),
        )
        for (const { Key = '', Size = 0, ETag } of page.Contents ?? []) {
          const name = Key.slice(start.length)
          if (isStoreName(name)) files.push({ name, bytes: Size, ...(ETag && { etag: plainETag(ETag) }) })
        }
        const next: string | undefined = page.NextContinuationToken
        // What has no end would be listed for ever, and what does not say that it is all might be a part.
        const isList = page.IsTruncated !== undefined && (next === undefined) !== page.IsTruncated
        if (!isList || (next !== undefined && next === token)) throw noBucket('list', this.location)
        token = next
      } while (token !== undefined)
    } catch (error) {
      throw s3Error(error, 'list', this.location)
    }
    return files.sort(byPartName)
  }

  read(name: string, range?: ByteRange, etag?: string): AsyncGenerator<Buffer> {
    return readObject(this.#client, { ...this.#object(name), range, etag })
  }

  readThrough(name: string, range?: ByteRange): AsyncIterable<Buffer> {
    // Bytes from a network are in new memory anyway.
    return this.read(name, range)
  }

  async stamp(name: string): Promise<string | undefined> {
    const head = await this.#head(name)
    return head && `${head.ETag} ${head.ContentLength} ${head.LastModified?.toISOString()}`
  }

  async #head(name: string) {
    const address = this.address(name)
    try {
      const { ETag, ...head } = await this.#client.send(new HeadObjectCommand(this.#key(name)))
      if (ETag === undefined) throw noBucket('read', address)
      return { ...head, ETag }
    } catch (error) {
      if (isMissing(error)) return undefined
      throw s3Error(error, 'read', address)
    }
  }

  async load(name: string): Promise<Loaded | undefined> {
    return loadObject(this.#client, this.#object(name))
  }

  async put(name: string, body: Body, condition?: PutCondition): Promise<Put> {
    const address = this.address(name)
    const terms = condition === undefined ? {} : await this.#termsOf(name, condition)
    const pieces = piecesOf(body)
    try {
      const first = await pieces.next()
      const version =
        first.done || first.value.last
          ? await this.#putWhole(name, first.done ? Buffer.alloc(0) : first.value.bytes, terms)
          : await putInParts(this.#client, first.value.bytes, pieces, {
              key: this.#key(name),
              address,
              terms,
              abortMs: this.#abortMs,
              storedBefore: (error) => this.#storedBefore(name, pieces, error),
            })
      return { ...pieces.sum(), version }
    } catch (error) {
      const { status } = failureOf(error)
      // 404: the version to replace is gone. 409: another put or removal at the same moment.
      const isGone = status === 404 && terms.IfMatch !== undefined && !isNoUpload(error)
      const lost = status === 412 || status === 409 || isGone
      if (condition !== undefined && lost) throw lostRace(address, error)
      throw pieces.failed(error) ? error : s3Error(error, 'write', address)
    } finally {
      await pieces.return()
    }
  }

  async remove(name: string): Promise<void> {
    const address = this.address(name)
    try {
      await this.#client.send(new DeleteObjectCommand(this.#key(name)))
    } catch (error) {
      throw s3Error(error, 'remove', address)
    }
  }

  /** Ends multipart uploads that were never completed: their parts are stored, and paid for, but never shown. */
  async sweep(): Promise<void> {
    for (const upload of await this.#uploads()) {
      try {
        await this.#client.send(new AbortMultipartUploadCommand({ Bucket: this.#place.bucket, ...upload }))
      } catch (error) {
        // It was completed meanwhile, or ended.
        if (failureOf(error).status !== 404) throw s3Error(error, 'sweep', this.location)
      }
    }
  }

  async #uploads(): Promise<Upload[]> {
    try {
      return await uploadsUnderWay(this.#client, this.#place, this.location)
    } catch (error) {
      // Services without this listing clear such uploads themselves.
      if (failureOf(error).status === 501) return []
      throw s3Error(error, 'sweep', this.location)
    }
  }

  #object(name: string) {
    return { key: this.#key(name), address: this.address(name), attempts: this.#attempts }
  }

  #key(name: string): { Bucket: string; Key: string } {
    const { bucket, prefix } = this.#place
    return { Bucket: bucket, Key: prefix === '' ? name : `${prefix}/${name}` }
  }

  async #putWhole(name: string, bytes: Buffer, terms: Condition): Promise<string> {
    try {
      const { ETag } = await this.#client.send(
        new PutObjectCommand({ ...this.#key(name), ...terms, Body: bytes, ContentMD5: md5(bytes) }),
      )
      return stored(ETag, this.address(name))
    } catch (error) {
      const { status, attempts } = failureOf(error)
      // The first try may have succeeded and its answer been lost: then the second one failed because of the first.
      if (status !== 412 || attempts < 2) throw error
      const there = await this.load(name)
      if (!there || !bytes.equals(there.bytes)) throw error
      return there.version
    }
  }

  /**
   * The file that a failed completion left. The first try may have succeeded and its answer been lost: then the second one
   * found no upload any more. The ETag of an upload follows from its parts in no way that all services share, so the file
   * is read. Throws the error of the completion if there is another file, or none.
   */
  async #storedBefore(name: string, { sum }: Pieces, error: unknown): Promise<{ readonly ETag: string }> {
    const { status, attempts } = failureOf(error)
    if ((status !== 404 && status !== 412) || attempts < 2) throw error
    const there = await this.#head(name)
    const { bytes, sha256 } = sum()
    if (there?.ContentLength !== bytes) throw error
    const hash = createHash('sha256')
    for await (const chunk of this.read(name, undefined, plainETag(there.ETag))) hash.update(chunk)
    if (hash.digest('hex') !== sha256) throw error
    return there
  }

  /** What a put must ask the bucket for. A bucket that ignores conditions is looked at before. */
  async #termsOf(name: string, condition: PutCondition): Promise<Condition> {
    this.#conditional ??= keepsConditions(this.#client, this.#place, this.location)
    if (await this.#conditional) return termsOf(condition)
    if (!this.#singleWriter) throw ignoresConditions(this.location, this.#singleWriter)
    const there = (await this.#head(name))?.ETag
    if (there === (condition === 'absent' ? undefined : condition.version)) return {}
    throw lostRace(this.address(name))
  }
}
