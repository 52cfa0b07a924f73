import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

interface Server {
  run(): Promise<{ readonly port: number }>
  close(): Promise<void>
}

// The package has no types.
const S3rver = createRequire(import.meta.url)('s3rver') as new (
  options: Readonly<Record<string, unknown>>,
) => Server

const BUCKET = 'bucket'

/** s3rver, an S3 server that was written elsewhere. It ignores If-Match and If-None-Match of writes. */
export class ForeignS3 {
  /** What a client needs in its environment. */
  readonly env = { AWS_ACCESS_KEY_ID: 'S3RVER', AWS_SECRET_ACCESS_KEY: 'S3RVER', AWS_REGION: 'us-east-1' }
  readonly #folder: string
  readonly #server: Server
  url = ''

  constructor() {
    this.#folder = mkdtempSync(join(tmpdir(), 'posthaul-s3rver-'))
    this.#server = new S3rver({
      port: 0,
      address: '127.0.0.1',
      silent: true,
      directory: this.#folder,
      configureBuckets: [{ name: BUCKET }],
    })
  }

  async start(): Promise<this> {
    this.url = `http://127.0.0.1:${(await this.#server.run()).port}`
    return this
  }

  /** A location in its bucket. */
  location(prefix: string): string {
    return `s3://${BUCKET}/${prefix}?endpoint=${this.url}`
  }

  async close(): Promise<void> {
    await this.#server.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
