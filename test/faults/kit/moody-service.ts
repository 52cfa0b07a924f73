import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { identity, type TestEvent } from '../../helpers/events.ts'

/** What the service does with a batch: takes it, takes it and never says so, hears nothing, or answers a status. */
export type Mood = 'takes' | 'takes in silence' | 'silent' | number

/** A batch endpoint on this machine that knows every event it took. */
export class MoodyService {
  mood: Mood = 'takes'
  /** It takes so many batches, whatever its mood. */
  kindly = 0
  /** Batches that came, and requests of the project's API. */
  requests = 0
  questions = 0
  /** Batches that its mood has struck. */
  struck = 0
  /** How often each event came, by what the service merges by. */
  readonly taken = new Map<string, number>()
  #server: Server | undefined

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  get port(): number {
    return (this.#server!.address() as AddressInfo).port
  }

  async start(): Promise<this> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      // Whether the key is known is asked before the first batch, and not of a mood.
      if (request.url?.startsWith('/flags/')) return response.end('{}')
      if (request.url !== '/batch/') {
        this.questions++
        return
      }
      const mood = this.requests < this.kindly ? 'takes' : this.mood
      if (mood === 'takes' || mood === 'takes in silence') this.#take(Buffer.concat(chunks))
      this.requests++
      if (mood !== 'takes') this.struck++
      if (mood === 'takes') response.end('{"status":"Ok"}')
      if (typeof mood === 'number') response.writeHead(mood, { 'retry-after': '3600' }).end('later')
    })
    this.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return this
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections()
    await new Promise((resolve) => this.#server?.close(resolve))
  }

  #take(packed: Buffer): void {
    const { batch } = JSON.parse(gunzipSync(packed).toString()) as { batch: TestEvent[] }
    for (const event of batch) {
      const key = identity(event)
      this.taken.set(key, (this.taken.get(key) ?? 0) + 1)
    }
  }
}
