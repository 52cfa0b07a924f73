import type { RateLimiter } from '../http/rate-limiter.ts'
import type { RetryOptions } from '../http/retry.ts'

/** One thing to be fetched, which becomes one part. */
export interface Piece {
  /** The window's name, or what else the part holds (`profiles`). Names the part's file. */
  readonly name: string
  /** What is asked, for a person to read: method, address and parameters, without any secret. */
  readonly asks: string
  /** Until then (ms since the epoch) the vendor may still add to it. */
  readonly finalAt: number
  /** NDJSON, as the vendor has it. Throws when the answer is not whole, at the latest at its end. */
  fetch(call: Call): AsyncIterable<Buffer>
}

/** What a piece may use while it is fetched. */
export interface Call {
  readonly signal: AbortSignal
  /** How failures inside a piece are tried again. */
  readonly retry: RetryOptions
  /** A path for a temporary file, on a disk with room for it. */
  scratch(name: string): string
  /** Something worth telling that is no failure. */
  note(text: string): void
}

/** What is to be exported, before anything is opened. */
export interface Order {
  readonly vendor: string
  /** What makes an export this one; another value of any of them belongs in another folder. */
  readonly identity: Readonly<Record<string, string>>
  open(memory: QuotaMemory): Source
}

/** Remembers from run to run when the vendor was asked. */
export interface QuotaMemory {
  asked(quota: string): readonly number[]
  /** `now`: resolves once it is written, for quotas that a restart must not break. */
  remember(quota: string, asked: readonly number[], now: boolean): Promise<void>
}

/** A vendor's project, ready to be exported. */
export interface Source {
  readonly pieces: readonly Piece[]
  /** The quota that most of the requests count against. */
  readonly limiter: RateLimiter
  /** Ends the connections. */
  close(): Promise<void>
}
