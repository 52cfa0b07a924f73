import { createHash } from 'node:crypto'
import { inspect } from 'node:util'

/** The text that every output has in place of a secret. */
export const REDACTED = '[redacted]'

/** Shorter texts are not taken out of others: they are a part of too many words. */
export const SHORTEST_SECRET = 3

/** A key or password that cannot be printed by accident: every conversion to text gives `[redacted]`. */
export class Secret {
  readonly #value: string
  /** Where it was read from, as users know it: a variable, a flag or a file. */
  readonly from: string

  constructor(value: string, from: string) {
    this.#value = value
    this.from = from
  }

  /** The secret itself. Only the code that sends it may call this. */
  reveal(): string {
    return this.#value
  }

  /** 16 hex digits that tell two secrets apart and reveal neither. */
  fingerprint(): string {
    return createHash('sha256').update('posthaul key\0').update(this.#value).digest('hex').slice(0, 16)
  }

  toString(): string {
    return REDACTED
  }

  toJSON(): string {
    return REDACTED
  }

  [inspect.custom](): string {
    return REDACTED
  }
}
