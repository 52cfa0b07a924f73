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

const attempts = new WeakMap<Uint8Array, number>()

/** Begins to watch a request, if somebody wants to know. */
export function watched(
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body?: Uint8Array | string },
  origin: string,
  redactor: Redactor,
) {
  if (!tell) return undefined
  const told = tell
  const startedAt = performance.now()
  const known = {
    method,
    host: new URL(origin).host,
    path: redactor.text(path.replace(/[?#].*$/s, '')),
    bytesOut: body === undefined ? 0 : Buffer.byteLength(body),
    attempt: attemptOf(body),
  }
  let status: number | undefined
  let bytesIn = 0
  let isOver = false
  /** Tells it, once. `failure`: the kind of a network's failure. */
  const over = (failure?: string): void => {
    if (isOver) return
    isOver = true
    told({ ...known, status, failure, bytesIn, ms: Math.round(performance.now() - startedAt) })
  }
  return {
    over,
    /** Takes the status. An answer without a body is over with it. */
    answered(came: number, length: string | string[] | undefined): void {
      status = came
      if (method === 'HEAD' || came === 204 || came === 304 || length === '0') over()
    },
    /** The same body, its bytes counted. */
    async *counted(answer: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
      for await (const chunk of answer) {
        bytesIn += chunk.length
        yield chunk
      }
    },
  }
}

function attemptOf(body: Uint8Array | string | undefined): number | undefined {
  if (typeof body !== 'object') return undefined
  const attempt = (attempts.get(body) ?? 0) + 1
  attempts.set(body, attempt)
  return attempt
}
