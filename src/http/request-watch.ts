import type { Redactor } from './redact.ts'

/** One request that is over, without anything that could be a secret or somebody's data. */
export interface RequestSeen {
  readonly method: string
  /** With its port. */
  readonly host: string
  /** Without the query. */
  readonly path: string
  /** Undefined if there was no answer. */
  readonly status: number | undefined
  /** Why there was no whole answer, as the kind of a network's failure. */
  readonly failure: string | undefined
  /** Of the bodies, as they went over the network. */
  readonly bytesOut: number
  readonly bytesIn: number
  readonly ms: number
  /** From 1: how often this very body has been sent. Undefined for a request without one. */
  readonly attempt: number | undefined
}

let tell: ((seen: RequestSeen) => void) | undefined

/** Hands every request of this process to `told` once its answer is read; undefined: no longer. */
export function watchRequests(told: ((seen: RequestSeen) => void) | undefined): void {
  tell = told
}

interface Asked {
  readonly method: string
  readonly path: string
  readonly body?: Uint8Array | string
}

const attempts = new WeakMap<Uint8Array, number>()

/** Begins to watch a request, if somebody wants to know. */
export function watched(asked: Asked, origin: string, redactor: Redactor): RequestWatch | undefined {
  return tell && new RequestWatch(asked, origin, redactor, tell)
}

class RequestWatch {
  readonly #known: Pick<RequestSeen, 'method' | 'host' | 'path' | 'bytesOut' | 'attempt'>
  readonly #tell: (seen: RequestSeen) => void
  readonly #startedAt = performance.now()
  #status: number | undefined
  #bytesIn = 0
  #isOver = false

  constructor({ method, path, body }: Asked, origin: string, redactor: Redactor, told: typeof tell & {}) {
    this.#tell = told
    this.#known = {
      method,
      host: new URL(origin).host,
      path: redactor.text(path.replace(/[?#].*$/s, '')),
      bytesOut: body === undefined ? 0 : Buffer.byteLength(body),
      attempt: attemptOf(body),
    }
  }

  /** Takes the status. An answer without a body is over with it. */
  answered(status: number, length: string | string[] | undefined): void {
    this.#status = status
    if (this.#known.method === 'HEAD' || status === 204 || status === 304 || length === '0') this.over()
  }

  /** The same body, its bytes counted. */
  async *counted(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of body) {
      this.#bytesIn += chunk.length
      yield chunk
    }
  }

  /** Tells it, once. `failure`: the kind of a network's failure. */
  over(failure?: string): void {
    if (this.#isOver) return
    this.#isOver = true
    const ms = Math.round(performance.now() - this.#startedAt)
    this.#tell({ ...this.#known, status: this.#status, failure, bytesIn: this.#bytesIn, ms })
  }
}

function attemptOf(body: Uint8Array | string | undefined): number | undefined {
  if (typeof body !== 'object') return undefined
  const attempt = (attempts.get(body) ?? 0) + 1
  attempts.set(body, attempt)
  return attempt
}
