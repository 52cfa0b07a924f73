import { MIB } from '../../../src/text/units.ts'

/** Requests to a bucket, by what they cost alike. */
export interface Requests {
  /** PUT, POST and the parts of uploads. */
  puts: number
  gets: number
  heads: number
  lists: number
}

/** List prices in USD; a page that uses them says of when they are. */
export const PRICES = { putsPer1000: 0.005, getsPer1000: 0.0004, gigabyteMonth: 0.023 }

export function noRequests(): Requests {
  return { puts: 0, gets: 0, heads: 0, lists: 0 }
}

/** What the requests cost in USD. A LIST costs what a PUT does, a HEAD what a GET does; removing is free. */
export function priceOf({ puts, gets, heads, lists }: Requests): number {
  return ((puts + lists) * PRICES.putsPer1000 + (gets + heads) * PRICES.getsPer1000) / 1000
}

const PIECE = 8 * MIB
const LARGE_PIECE = 64 * MIB
const LARGE_AFTER = 1000

/** Requests that store an object of that size: one, or the beginning, the parts and the end of an upload. */
export function putsOf(bytes: number): number {
  if (bytes <= PIECE) return 1
  const small = Math.min(LARGE_AFTER, Math.ceil(bytes / PIECE))
  const large = Math.max(0, Math.ceil((bytes - LARGE_AFTER * PIECE) / LARGE_PIECE))
  return small + large + 2
}
