import { readIdentity } from '../record/head.ts'

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const BACKSLASH = 0x5c
const QUOTE = 0x22

/**
 * The lane of a distinct_id, whose JSON string (quotes included) is bytes[start, end). The same id has the same lane,
 * however it is escaped.
 */
export function laneOf(bytes: Buffer, start: number, end: number, lanes: number): number {
  return lanes === 1 ? 0 : hashOfId(bytes, start, end) % lanes
}

/** The hash of such a distinct_id. */
function hashOfId(bytes: Buffer, start: number, end: number): number {
  const escaped = bytes.subarray(start, end).indexOf(BACKSLASH) !== -1
  return escaped ? hashText(bytes.toString('utf8', start, end)) : hash(bytes, start, end)
}

/** The lane of a distinct_id given as text. */
export function laneOfText(id: string, lanes: number): number {
  const json = Buffer.from(JSON.stringify(id))
  return laneOf(json, 0, json.length, lanes)
}

function hashText(json: string): number {
  const plain = Buffer.concat([Buffer.of(QUOTE), Buffer.from(JSON.parse(json)), Buffer.of(QUOTE)])
  return hash(plain, 0, plain.length)
}

// FNV-1a spreads ids that differ only in their last digits, and needs no table.
function hash(bytes: Buffer, start: number, end: number): number {
  let value = FNV_OFFSET
  for (let i = start; i < end; i++) value = Math.imul(value ^ bytes[i]!, FNV_PRIME)
  // FNV mixes its low bits least, and the modulus of a few lanes depends on little else.
  return (value ^ (value >>> 15)) >>> 0
}

/** The service stores what is over about so many events a minute of one distinct_id without their person. */
export const MOST_PER_ID = 5000

// The share of the cap that a request may hold. A larger one makes a busy id slower, a smaller one its requests smaller.
const SHARE = 0.05
/** The most events of one id in a batch of an import. */
export const ID_BURST = MOST_PER_ID * SHARE
const ROWS = 4
const COLUMNS = 8192

/** How many events of each distinct_id a request holds, by the hash of the id. */
export type IdCounts = ReadonlyMap<number, number>

/**
 * Keeps each distinct_id under a cap of events a minute, in memory that is the same for any number of ids: over the service's
 * limit it stores events without their person. Every request, retries too, takes its events when it starts.
 *
 * An id has a bucket of `burst` tokens that gains `rate` tokens a second, and begins empty in each run. So that no minute
 * exceeds the cap, over any chain of runs, 2 x burst + 60 x rate is the cap: the proof is that of `Pacer`, and the id is in
 * one lane, so one request that started before the minute may arrive in it.
 *
 * Ids share cells: an id takes its events from one cell of each row, and has as many tokens as its fullest cell. What other
 * ids took from a cell only makes it emptier, so a shared cell can hold an id back, and never lets it over the cap. A busy id
 * does not hold the others back: they meet it in all rows at once about once in 10^15.
 */
export class IdPacer {
  /** The most events of one id that may be taken at once. */
  readonly burst: number
  readonly #perMs: number
  readonly #now: () => number
  /** Of each cell: how many tokens are lacking, and when that was so. */
  readonly #lacking: Float64Array
  readonly #at: Float64Array

  constructor(perMinute: number, now: () => number) {
    this.burst = Math.floor(perMinute * SHARE)
    this.#perMs = (perMinute - 2 * this.burst) / 60_000
    this.#now = now
    this.#lacking = new Float64Array(ROWS * COLUMNS).fill(this.burst)
    this.#at = new Float64Array(ROWS * COLUMNS).fill(now())
  }

  /** The milliseconds until each id has the tokens for its events; 0 if they can be taken now. */
  wait(ids: IdCounts): number {
    const now = this.#now()
    let wait = 0
    for (const [id, events] of ids) {
      if (events > this.burst)
        throw new RangeError(`${events} events of one id at once, but the burst is ${this.burst}`)
      let lacking = Number.POSITIVE_INFINITY
      for (let row = 0; row < ROWS; row++) lacking = Math.min(lacking, this.#lackingAt(cellOf(id, row), now))
      const over = lacking + events - this.burst
      if (over > 0) wait = Math.max(wait, 1, over / this.#perMs)
    }
    return wait
  }

  /** Takes the tokens. Call it where `wait` is 0. */
  take(ids: IdCounts): void {
    const now = this.#now()
    for (const [id, events] of ids) {
      for (let row = 0; row < ROWS; row++) {
        const cell = cellOf(id, row)
        this.#lacking[cell] = this.#lackingAt(cell, now) + events
        this.#at[cell] = now
      }
    }
  }

  #lackingAt(cell: number, now: number): number {
    return Math.max(0, this.#lacking[cell]! - (now - this.#at[cell]!) * this.#perMs)
  }
}

const FACTORS = [0x9e3779b1, 0x85ebca6b, 0xc2b2ae35, 0x27d4eb2f] as const

/** The cell of an id in a row: by a hash of its hash, another one in each row. */
function cellOf(id: number, row: number): number {
  let mixed = Math.imul(id ^ (id >>> 15) ^ row, FACTORS[row]!)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0x5bd1e995)
  return row * COLUMNS + (((mixed ^ (mixed >>> 16)) >>> 0) % COLUMNS)
}

const identity = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }

/** The hash of the distinct_id of an event line; 0 for a line that has none where it should be. */
export function idOfLine(bytes: Buffer, start: number, end: number): number {
  if (!readIdentity(bytes, start, end, identity)) return 0
  return hashOfId(bytes, identity.eventEnd + ',"distinct_id":'.length, identity.distinctIdEnd)
}
