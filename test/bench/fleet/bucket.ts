import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, statSync } from 'node:fs'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { compiled } from '../paths.ts'

export const PREFIX = 'bench'

/** What went through a bucket: requests by kind, and bytes of bodies (of reads with their heads). */
export interface Traffic {
  readonly requests: Record<string, number>
  readonly read: number
  readonly written: number
  /** Objects that are there now. */
  readonly objects: number
}

/** A bucket in a process of its own, whose processor time is nobody's. */
export class Bucket {
  readonly location: string
  /** What a client needs in its environment. */
  readonly env: NodeJS.ProcessEnv
  readonly #process: ChildProcess

  private constructor(
    { location, env }: { readonly location: string; readonly env: NodeJS.ProcessEnv },
    child: ChildProcess,
  ) {
    this.location = location
    this.env = env
    this.#process = child
  }

  static async start(): Promise<Bucket> {
    // The SDK's note about Node versions is for its own users.
    process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
    const child = fork(compiled('fleet/counted-s3.ts'))
    const [told] = await once(child, 'message')
    return new Bucket(told, child)
  }

  /** A location under its own. */
  path(name: string): string {
    const [prefix, query] = this.location.split('?')
    return `${prefix}/${name}?${query}`
  }

  /** What went through since the last call, and how many objects are at a location of `path`. */
  take(name: string): Promise<Traffic> {
    return this.#ask('take', name)
  }

  /** Removes the objects at a location of `path`. */
  async clear(name: string): Promise<void> {
    await this.#ask('clear', name)
  }

  /** Stores a file of this machine. */
  async put(name: string, path: string): Promise<void> {
    const [Body, ContentLength] = [createReadStream(path), statSync(path).size]
    await this.#client().send(new PutObjectCommand({ ...keyOf(name), Body, ContentLength }))
  }

  async text(name: string): Promise<string> {
    const { Body } = await this.#client().send(new GetObjectCommand(keyOf(name)))
    return Body!.transformToString()
  }

  #client(): S3Client {
    const { AWS_ACCESS_KEY_ID: accessKeyId = '', AWS_SECRET_ACCESS_KEY: secretAccessKey = '' } = this.env
    return new S3Client({
      endpoint: this.location.slice(this.location.indexOf('=') + 1),
      forcePathStyle: true,
      region: this.env.AWS_REGION!,
      credentials: { accessKeyId, secretAccessKey },
      requestChecksumCalculation: 'WHEN_REQUIRED',
    })
  }

  async #ask(order: string, name: string): Promise<Traffic> {
    const answer = once(this.#process, 'message')
    this.#process.send({ order, prefix: `${PREFIX}/${name}` })
    return (await answer)[0] as Traffic
  }

  async close(): Promise<void> {
    const ended = once(this.#process, 'exit')
    this.#process.send({ order: 'close' })
    await ended
  }
}

function keyOf(name: string) {
  return { Bucket: 'bucket', Key: `${PREFIX}/${name}` }
}
