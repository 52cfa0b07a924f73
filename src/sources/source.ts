import type { RateLimiter } from '../http/rate-limiter.ts'
import type { RetryOptions } from '../http/retry.ts'

/** One thing to fetch. It becomes one part. */
export interface Piece {
  /** The window's name, or what else the part holds (`profiles`). The part's file has this name. */
  readonly name: string
  /** The request in a form for people: method, address and parameters, without secrets. */
  readonly asks: string
  /** Until this time (ms since the epoch) the vendor may still add data. */
  readonly finalAt: number
  /** NDJSON, as the vendor has it. Throws if the answer is not complete, at the latest at its end. */
  fetch(call: Call): AsyncIterable<Buffer>
}

/** What a piece may use while it is fetched. */
export interface Call {
  readonly signal: AbortSignal
  /** How failures inside a piece are retried. */
  readonly retry: RetryOptions
  /** A path for a temporary file, on a disk with room for it. */
  scratch(name: string): string
  /** Tells the user something that is not a failure. */
  note(text: string): void
}

/** What is to be exported, before anything is opened. */
export interface Order {
  readonly vendor: string
  /** What identifies the export. An export in which any of these differs needs another folder. */
  readonly identity: Readonly<Record<string, string>>
  open(memory: QuotaMemory): Source
}

/** Remembers the times of requests from run to run. */
export interface QuotaMemory {
  asked(quota: string): readonly number[]
  /** With `now`, resolves after the times are written, for quotas that a restart must not break. */
  remember(quota: string, asked: readonly number[], now: boolean): Promise<void>
}

/** A vendor's project, ready to be exported. */
export interface Source {
  readonly pieces: readonly Piece[]
  /** The quota that most of the requests count against. */
  readonly limiter: RateLimiter
  /** Closes the connections. */
  close(): Promise<void>
}
