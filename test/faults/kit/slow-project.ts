import { gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import type { Reply } from '../../../src/http/answer.ts'
import { type Sandbox, startSandbox } from '../../../src/sandbox/sandbox.ts'
import { BatchEndpoint } from '../../../src/service/send-events.ts'

const OPENING = '{"api_key":"'
const BATCH = '"batch":['
const MINUTE = 60_000
const real = BatchEndpoint.prototype.send

interface SlowProjectOptions {
  /** Folder of the sandbox. */
  readonly data: string
  readonly key: string
  readonly now: () => number
  /** The most requests that it takes in all. */
  readonly most: number
}

/**
 * A project whose events are stored some time after they were taken, as the service does it: it answers each request of this
 * process at once, notes when it came, and brings the events to a sandbox when `store` is called. A month has too many
 * requests for the sandbox to take each.
 */
export class SlowProject {
  sandbox: Sandbox
  /** Asked at each request. True if nothing listens: the connection is refused. */
  isAway: () => Promise<boolean> | boolean = () => false
  /** The key that it takes. */
  key: string
  readonly #options: SlowProjectOptions
  readonly #arrivals: Float64Array
  #taken: string[] = []
  #events = 0

  private constructor(options: SlowProjectOptions, sandbox: Sandbox) {
    this.#options = options
    this.key = options.key
    this.#arrivals = new Float64Array(options.most)
    this.sandbox = sandbox
    const answer = (packed: Buffer) => this.#answer(packed)
    BatchEndpoint.prototype.send = answer
  }

  static async start(options: SlowProjectOptions, storage: 'json' | 'table'): Promise<SlowProject> {
    const { data, key: projectKey, now } = options
    return new SlowProject(options, await startSandbox({ data, projectKey, now, storage }))
  }

  /** When each event came, also one that came again: ms of its clock. */
  get arrivals(): Float64Array {
    return this.#arrivals.subarray(0, this.#events)
  }

  /** The most events that came in any 60 s. */
  get busiestMinute(): number {
    let [first, most] = [0, 0]
    const times = this.arrivals
    for (let n = 0; n < times.length; n++) {
      while (times[n]! - times[first]! >= MINUTE) first++
      most = Math.max(most, n - first + 1)
    }
    return most
  }

  /** Stores events in another form from now on; what it holds stays. */
  async change(storage: 'json' | 'table'): Promise<void> {
    await this.store()
    await this.sandbox.close()
    const { data, now } = this.#options
    this.sandbox = await startSandbox({ data, projectKey: this.key, now, storage })
  }

  /** Brings what was taken to the sandbox, by the key that this one has. */
  async store(): Promise<void> {
    const events = this.#taken.splice(0)
    for (let at = 0; at < events.length; at += 2000) {
      const body = `${OPENING}${this.sandbox.projectKey}","historical_migration":true,${BATCH}${events.slice(at, at + 2000).join(',')}]}`
      const answer = await fetch(`${this.sandbox.url}/batch/`, { method: 'POST', body })
      expect(answer.status, await answer.text()).toBe(200)
    }
  }

  async close(): Promise<void> {
    BatchEndpoint.prototype.send = real
    await this.sandbox.close()
  }

  async #answer(packed: Buffer): Promise<Reply> {
    if (await this.isAway()) return { network: 'refused', message: `${this.sandbox.url}: connection refused` }
    const body = gunzipSync(packed).toString()
    if (!body.startsWith(`${OPENING}${this.key}"`)) return { status: 401, headers: {}, body: 'wrong key' }
    const batch = body.slice(body.indexOf(BATCH) + BATCH.length, -2)
    for (const event of batch.split(/(?<=\}),(?=\{"uuid")/)) {
      this.#arrivals[this.#events++] = this.#options.now()
      this.#taken.push(event)
    }
    return { status: 200, headers: {}, body: '{"status":"Ok"}' }
  }
}
