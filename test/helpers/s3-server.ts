import { createHash } from 'node:crypto'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

export interface S3Options {
  /** How writes treat If-None-Match and If-Match. `ignored`: as if the headers were not there; `absent alone`: If-Match is. */
  readonly conditions?: 'kept' | 'ignored' | 'refused' | 'absent alone'
  /** The most keys in one page of a listing. */
  readonly pageSize?: number
}

interface StoredObject {
  readonly bytes: Buffer
  readonly etag: string
}

interface Upload {
  readonly key: string
  readonly parts: Map<number, StoredObject>
  readonly begun: Date
}

interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Buffer | string
}

/**
 * `error` answers 503, `cut` breaks a body off, `lost` acts, then hangs up, `reset` hangs up and does nothing, `range` says that the object has no such bytes.
 */
export type Strike = 'error' | 'cut' | 'lost' | 'reset' | 'range'

const BUCKET = 'bucket'
const KEY_ID = 'AKIDEXAMPLE'

/**
 * A server that speaks S3 over HTTP: objects, ranges, conditions, multipart uploads, paged listings, checksums and
 * signed requests, with S3's own statuses and errors. It can also misbehave: see `mischief`.
 */
export class S3Server {
  readonly objects = new Map<string, StoredObject>()
  readonly uploads = new Map<string, Upload>()
  /** Strikes the next request that matches. */
  mischief: { readonly kind: Strike; readonly matches: (method: string, key: string) => boolean }[] = []
  /** Requests that match are not answered. */
  silent: (method: string, key: string) => boolean = () => false
  /** Requests that match are refused for want of a right. */
  refuses: (method: string, key: string) => boolean = () => false
  /** What strikes each other request. */
  strikes: (method: string, key: string) => Strike | undefined = () => undefined
  requests = 0
  readonly #options: Required<S3Options>
  #server: Server | undefined
  #port = 0
  #uploadId = 0

  constructor({ conditions = 'kept', pageSize = 3 }: S3Options = {}) {
    this.#options = { conditions, pageSize }
  }

  /** Puts an object there behind everyone's back; undefined takes it away. */
  place(key: string, bytes: Buffer | undefined): void {
    if (bytes) this.objects.set(key, { bytes, etag: `"${hash('md5', bytes, 'hex')}"` })
    else this.objects.delete(key)
  }

  /** What a client needs in its environment. */
  get env() {
    return {
      AWS_ACCESS_KEY_ID: KEY_ID,
      AWS_SECRET_ACCESS_KEY: 'secret-example',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: this.url,
    }
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  /** A location in its bucket. */
  location(prefix: string): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${this.url}`
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      // A client that was killed leaves its request half sent.
      this.#answer(request, response).catch((error: unknown) => request.complete && Promise.reject(error))
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    this.#port = (server.address() as AddressInfo).port
    return this
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    this.requests++
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const url = new URL(request.url ?? '/', this.url)
    const [, bucket, ...segments] = url.pathname.split('/')
    const key = decodeURIComponent(segments.join('/'))
    const method = request.method ?? ''
    if (this.silent(method, key)) return
    const at = this.mischief.findIndex((one) => one.matches(method, key))
    const struck = at === -1 ? this.strikes(method, key) : this.mischief.splice(at, 1)[0]?.kind
    if (struck === 'reset') return void request.socket.destroy()
    // Requests at the same time are answered later, in the order in which they came.
    await sleep(1)
    const wrong = this.refuses(method, key) ? 'AccessDenied' : this.#unsigned(request, body)
    const {
      status,
      headers,
      body: out = '',
    } = struck === 'error'
      ? refusal(503, 'SlowDown')
      : struck === 'range'
        ? refusal(416, 'InvalidRange')
        : wrong !== undefined
          ? refusal(403, wrong)
          : bucket !== BUCKET
            ? refusal(404, 'NoSuchBucket')
            : this.#act(method, key, url.searchParams, request.headers, body)
    if (struck === 'lost') return void request.socket.destroy()
    const bytes = Buffer.from(out)
    response.writeHead(status, { ...headers, 'content-length': bytes.length })
    if (struck !== 'cut') return void response.end(bytes)
    response.write(bytes.subarray(0, bytes.length / 2), () => response.socket?.destroy())
  }

  /** S3's name of the error in a request's signature or body. */
  #unsigned({ headers }: IncomingMessage, body: Buffer): string | undefined {
    const authorization = headers.authorization ?? ''
    if (!authorization.startsWith('AWS4-HMAC-SHA256 ') || !headers['x-amz-date']) return 'AccessDenied'
    if (!authorization.includes(`Credential=${KEY_ID}/`)) return 'InvalidAccessKeyId'
    if (!/Signature=[0-9a-f]{64}/.test(authorization)) return 'SignatureDoesNotMatch'
    const sum = headers['x-amz-content-sha256']
    const wrong = typeof sum === 'string' && /^[0-9a-f]{64}$/.test(sum) && sum !== hash('sha256', body, 'hex')
    if (wrong) return 'XAmzContentSHA256Mismatch'
    const md5 = headers['content-md5']
    return md5 !== undefined && md5 !== hash('md5', body, 'base64') ? 'BadDigest' : undefined
  }

  #act(
    method: string,
    key: string,
    query: URLSearchParams,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Reply {
    if (method === 'GET' && key === '')
      return query.has('uploads') ? this.#listUploads(query) : this.#list(query)
    if (method === 'POST' && query.has('uploads')) return this.#beginUpload(key)
    const id = query.get('uploadId')
    if (id !== null) return this.#actOnUpload(method, id, query, headers, body)
    if (method === 'GET' || method === 'HEAD') return this.#get(key, headers)
    if (method === 'DELETE') {
      this.objects.delete(key)
      return { status: 204 }
    }
    if (method !== 'PUT') return refusal(405, 'MethodNotAllowed')
    const object = { bytes: body, etag: `"${hash('md5', body, 'hex')}"` }
    return this.#write(key, object, headers) ?? { status: 200, headers: { etag: object.etag } }
  }

  #get(key: string, headers: IncomingHttpHeaders): Reply {
    const object = this.objects.get(key)
    if (!object) return refusal(404, 'NoSuchKey')
    const match = headers['if-match']
    if (match !== undefined && match !== object.etag && this.#options.conditions !== 'ignored')
      return refusal(412, 'PreconditionFailed')
    if (!headers.range) return { status: 200, headers: { etag: object.etag }, body: object.bytes }
    const [, from = '0', to = ''] = /^bytes=(\d+)-(\d*)$/.exec(headers.range) ?? []
    const { length } = object.bytes
    const end = Math.min(to === '' ? length : Number(to) + 1, length)
    if (Number(from) >= length) return refusal(416, 'InvalidRange')
    const range = { 'content-range': `bytes ${from}-${end - 1}/${length}` }
    const bytes = object.bytes.subarray(Number(from), end)
    return { status: 206, headers: { etag: object.etag, ...range }, body: bytes }
  }

  /** Stores an object if its conditions hold; the refusal if they don't. */
  #write(key: string, object: StoredObject, headers: IncomingHttpHeaders): Reply | undefined {
    const { conditions } = this.#options
    const { 'if-none-match': absent } = headers
    const match = conditions === 'absent alone' ? undefined : headers['if-match']
    if ((absent !== undefined || match !== undefined) && conditions !== 'ignored') {
      const there = this.objects.get(key)
      if (conditions === 'refused') return refusal(501, 'NotImplemented')
      if (absent === '*' && there) return refusal(412, 'PreconditionFailed')
      if (match !== undefined && !there) return refusal(404, 'NoSuchKey')
      if (match !== undefined && match !== there?.etag) return refusal(412, 'PreconditionFailed')
    }
    this.objects.set(key, object)
    return undefined
  }

  #list(query: URLSearchParams): Reply {
    const prefix = query.get('prefix') ?? ''
    const after = query.get('continuation-token') ?? ''
    // S3 lists in the order of UTF-8 bytes.
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(prefix))
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    const from = after === '' ? 0 : keys.indexOf(Buffer.from(after, 'base64url').toString()) + 1
    const page = keys.slice(from, from + this.#options.pageSize)
    const more = from + page.length < keys.length
    const token = Buffer.from(page.at(-1) ?? '').toString('base64url')
    const contents = page.map((key) => {
      const { bytes, etag } = this.objects.get(key)!
      return `<Contents><Key>${xml(key)}</Key><Size>${bytes.length}</Size><ETag>${xml(etag)}</ETag></Contents>`
    })
    const next = more ? `<NextContinuationToken>${token}</NextContinuationToken>` : ''
    return document('ListBucketResult', `<IsTruncated>${more}</IsTruncated>${next}${contents.join('')}`)
  }

  #listUploads(query: URLSearchParams): Reply {
    const prefix = query.get('prefix') ?? ''
    const found = [...this.uploads].filter(([, { key }]) => key.startsWith(prefix))
    const from = found.findIndex(([id]) => id === query.get('upload-id-marker')) + 1
    const page = found.slice(from, from + this.#options.pageSize)
    const items = page.map(([id, { key, begun }]) => {
      const time = `<Initiated>${begun.toISOString()}</Initiated>`
      return `<Upload><Key>${xml(key)}</Key><UploadId>${id}</UploadId>${time}</Upload>`
    })
    const [lastId, last] = page.at(-1) ?? []
    const next = `<NextKeyMarker>${xml(last?.key ?? '')}</NextKeyMarker><NextUploadIdMarker>${lastId}</NextUploadIdMarker>`
    const more = from + page.length < found.length
    return document(
      'ListMultipartUploadsResult',
      `<IsTruncated>${more}</IsTruncated>${more ? next : ''}${items.join('')}`,
    )
  }

  #beginUpload(key: string): Reply {
    const id = `upload-${++this.#uploadId}`
    this.uploads.set(id, { key, parts: new Map(), begun: new Date() })
    return document('InitiateMultipartUploadResult', `<Key>${xml(key)}</Key><UploadId>${id}</UploadId>`)
  }

  #actOnUpload(
    method: string,
    id: string,
    query: URLSearchParams,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Reply {
    const upload = this.uploads.get(id)
    if (!upload) return refusal(404, 'NoSuchUpload')
    if (method === 'POST') return this.#completeUpload(id, upload, headers, body)
    if (method === 'DELETE') {
      this.uploads.delete(id)
      return { status: 204 }
    }
    const etag = `"${hash('md5', body, 'hex')}"`
    upload.parts.set(Number(query.get('partNumber')), { bytes: body, etag })
    return { status: 200, headers: { etag } }
  }

  #completeUpload(id: string, { key, parts }: Upload, headers: IncomingHttpHeaders, body: Buffer): Reply {
    const wanted = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber>/g)]
    const found = wanted.map(([, number]) => parts.get(Number(number)))
    if (found.length === 0 || found.includes(undefined)) return refusal(400, 'InvalidPart')
    if (found.slice(0, -1).some((part) => part!.bytes.length < 5 * 1024 * 1024))
      return refusal(400, 'EntityTooSmall')
    const bytes = Buffer.concat(found.map((part) => part!.bytes))
    const etag = `"${hash('md5', bytes, 'hex')}-${found.length}"`
    const refused = this.#write(key, { bytes, etag }, headers)
    if (refused) return refused
    this.uploads.delete(id)
    return document('CompleteMultipartUploadResult', `<Key>${xml(key)}</Key><ETag>${xml(etag)}</ETag>`)
  }
}

function hash(kind: string, bytes: Buffer, encoding: 'hex' | 'base64'): string {
  return createHash(kind).update(bytes).digest(encoding)
}

function document(root: string, inner: string): Reply {
  const body = `<?xml version="1.0"?><${root}>${inner}</${root}>`
  return { status: 200, headers: { 'content-type': 'application/xml' }, body }
}

function refusal(status: number, code: string): Reply {
  return { ...document('Error', `<Code>${code}</Code><Message>${code}</Message>`), status }
}

function xml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
