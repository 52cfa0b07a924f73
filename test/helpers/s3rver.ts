import { createHash } from 'node:crypto'
import type { EventEmitter } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface StoredObject {
  readonly bucket: string
  readonly key: string
  readonly content: AsyncIterable<Uint8Array> | Uint8Array
  readonly metadata: unknown
}

interface ObjectStore {
  putObject(object: StoredObject): Promise<{ readonly size: number; readonly md5: string }>
  putMetadata(bucket: string, key: string, metadata: unknown, md5: string): Promise<void>
  getResourcePath(bucket: string, key: string, resource: string): string
}

interface Server {
  readonly store: ObjectStore
  readonly httpServer: EventEmitter
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}

// The package has no types.
const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: Readonly<Record<string, unknown>>,
) => Server

const BUCKET = 'bucket'

/**
 * Stores an object as every S3 service does: whole or not at all. s3rver empties the object when a put begins, so a
 * client that is killed in the middle would leave it empty, and a reader could see half of it.
 */
async function putWhole(
  store: ObjectStore,
  { bucket, key, content, metadata }: StoredObject,
  arrived: (key: string, body: Buffer) => Promise<void>,
) {
  const chunks: Uint8Array[] = []
  if (content instanceof Uint8Array) chunks.push(content)
  else for await (const chunk of content) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  await arrived(key, body)
  const md5 = createHash('md5').update(body).digest('hex')
  const path = store.getResourcePath(bucket, key, 'object')
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(`${path}.new`, body)
  renameSync(`${path}.new`, path)
  await store.putMetadata(bucket, key, metadata, md5)
  return { size: body.length, md5 }
}

/** s3rver, an S3 server that was written elsewhere. It ignores If-Match and If-None-Match of writes. */
export class ForeignS3 {
  /** What a client needs in its environment. */
  readonly #folder: string
  readonly #server: Server
  url = ''

  get env() {
    return {
      AWS_ACCESS_KEY_ID: 'S3RVER',
      AWS_SECRET_ACCESS_KEY: 'S3RVER',
      AWS_REGION: 'us-east-1',
      AWS_ENDPOINT_URL_S3: this.url,
    }
  }

  /** `arrived` is called for each object before it is stored. */
  constructor(arrived: (key: string, body: Buffer) => Promise<void> = async () => {}) {
    this.#folder = mkdtempSync(join(tmpdir(), 'posthaul-s3rver-'))
    this.#server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: this.#folder,
      configureBuckets: [{ name: BUCKET }],
    })
    const { store } = this.#server
    store.putObject = (object) => putWhole(store, object, arrived)
  }

  /** `see` is called with every request, before it is answered. */
  async start(see?: (request: IncomingMessage, response: ServerResponse) => void): Promise<this> {
    this.url = `http://127.0.0.1:${(await this.#server.run()).port}`
    if (see) this.#server.httpServer.prependListener('request', see)
    return this
  }

  /** A location in its bucket. */
  location(prefix: string): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${this.url}`
  }

  /** How many objects are under a prefix. */
  count(prefix: string): number {
    const folder = join(this.#folder, BUCKET, prefix)
    if (!existsSync(folder)) return 0
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('_object'),
    ).length
  }

  /** Removes all objects under a prefix. */
  clear(prefix: string): void {
    rmSync(join(this.#folder, BUCKET, prefix), { recursive: true, force: true })
  }

  async close(): Promise<void> {
    await this.#server.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
