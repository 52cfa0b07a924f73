import { type Head, headId, readHead } from '../record/head.ts'
import { formatInstant } from '../record/time.ts'
import type { Batch } from './batch.ts'
import { type IdCounts, IdPacer, idOfLine, MOST_PER_ID } from './distinct-id.ts'
import { type Pace, Pacer } from './pacer.ts'

/** So many ids are followed at once. One that is held later takes the place of the one of fewest events. */
const MOST_FOLLOWED = 64

/** A distinct_id that the pace of an import would bring over the cap. */
interface BusyId {
  readonly id: string
  /** A lower bound: events before the first hold are not counted. */
  readonly events: number
  /** The UTC day of most of them, and how many they are. */
  readonly day: string
  readonly dayEvents: number
}

/** What the cap of a distinct_id makes of an import. */
export interface BusyIds {
  /** Those of most events first. */
  readonly ids: readonly BusyId[]
  /** About how much longer the import takes. */
  readonly extraMs: number
}

interface Followed {
  readonly id: string
  events: number
  heldMs: number
  day: string
  dayEvents: number
  today: string
  todayEvents: number
}

/**
 * Goes through the batches of an import with a clock of its own, and tells how long the caps make it take, and because of
 * which distinct_ids. All lanes wait here for a busy id: they read one input, and none gets far ahead of the others. Takes the
 * same memory for any number of ids.
 */
export class PaceForecast {
  #now = 0
  #aloneNow = 0
  readonly #ids = new IdPacer(MOST_PER_ID, () => this.#now)
  /** The most events of one id in a batch of the import. */
  readonly ofId = this.#ids.burst
  readonly #pacer: Pacer
  readonly #alone: Pacer
  readonly #followed = new Map<number, Followed>()

  constructor(pace: Pace) {
    // An import begins with the buckets of all ids empty: each would seem to be busy until they are full.
    this.#now = this.#aloneNow = this.#ids.fillMs
    this.#pacer = new Pacer(pace, () => this.#now)
    this.#alone = new Pacer(pace, () => this.#aloneNow)
  }

  /** The least time that the import takes. */
  get ms(): number {
    return this.#now - this.#ids.fillMs
  }

  get busy(): BusyIds {
    const ids = [...this.#followed.values()]
      .filter(({ events, heldMs }) => events > MOST_PER_ID && heldMs >= this.#ids.fillMs)
      .sort((a, b) => b.events - a.events)
      .map(({ id, events, day, dayEvents }) => ({ id, events, day, dayEvents }))
    return { ids, extraMs: this.#now - this.#aloneNow }
  }

  /** `events`: how many of the batch's events are sent. */
  send(batch: Batch, events = batch.events): void {
    for (let wait = this.#alone.take(events); wait > 0; wait = this.#alone.take(events))
      this.#aloneNow += wait
    for (let wait = this.#pacer.take(events); wait > 0; wait = this.#pacer.take(events)) this.#now += wait
    const parts = Math.max(1, Math.ceil(Math.max(0, ...batch.ids.values()) / this.#ids.burst))
    const part = parts === 1 ? batch.ids : new Map([...batch.ids].map(([id, count]) => [id, count / parts]))
    for (let n = 0; n < parts; n++) this.#take(part, batch)
    if (this.#followed.size > 0) this.#count(batch)
  }

  #take(ids: IdCounts, batch: Batch): void {
    for (let wait = this.#ids.wait(ids); wait > 0; wait = this.#ids.wait(ids)) {
      for (const entry of ids) if (this.#ids.wait(new Map([entry])) > 0) this.#follow(entry[0], batch, wait)
      this.#now += wait
    }
    this.#ids.take(ids)
  }

  #follow(hash: number, batch: Batch, heldMs: number): void {
    const known = this.#followed.get(hash)
    if (known) known.heldMs += heldMs
    else {
      if (this.#followed.size === MOST_FOLLOWED) {
        const [least] = [...this.#followed].reduce((a, b) => (b[1].events < a[1].events ? b : a))
        this.#followed.delete(least)
      }
      const id = idWithHash(hash, batch)
      this.#followed.set(hash, { id, heldMs, events: 0, day: '', dayEvents: 0, today: '', todayEvents: 0 })
    }
  }

  #count(batch: Batch): void {
    const day = formatInstant(headOf(batch, 0).instant).slice(0, 10)
    for (const [hash, followed] of this.#followed) {
      const events = batch.ids.get(hash) ?? 0
      followed.events += events
      followed.todayEvents = (followed.today === day ? followed.todayEvents : 0) + events
      followed.today = day
      if (followed.todayEvents <= followed.dayEvents) continue
      followed.day = day
      followed.dayEvents = followed.todayEvents
    }
  }
}

function idWithHash(hash: number, batch: Batch): string {
  const { bytes } = batch.lines
  let index = 0
  while (idOfLine(bytes, batch.startOf(index), batch.endOf(index)) !== hash) index++
  return headId(bytes, headOf(batch, index))
}

/** The head of an event of a closed batch, which holds lines that `readHead` has read before. */
function headOf(batch: Batch, index: number): Head {
  return readHead(batch.lines.bytes, batch.startOf(index), batch.endOf(index))!
}
