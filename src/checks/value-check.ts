import { headName, uuidOffset } from '../record/head.ts'
import { countOne, MOST_NAMES } from '../record/notes.ts'
import type { EachLine } from '../store/read-parts.ts'
import { groupedBy, sum, Thinned } from '../text/lists.ts'
import { MIB, MS_PER_DAY } from '../text/units.ts'
import { type Change, compareEvent, UNPARSEABLE_PROPERTY } from './changes.ts'
import { eventIn, type SentEvent } from './event-in.ts'
import { cellKey } from './expected.ts'
import { headDay } from './gaps.ts'
import type { ServiceEvents } from './service-view.ts'
import type { VerifyInput } from './verify-input.ts'

/** The most events that are asked for at once, and the most bytes. */
const MOST_EVENTS = 2000
const MOST_BYTES = 8 * MIB
/** The most events that the days of one question have in all, since the service looks through them, and the most days. */
const MOST_LOOKED_AT = 500_000
const MOST_DAYS = 31

const MOST_CHANGES = 1000

export interface ValueReport {
  compared: number
  absent: number
  /** Events with a value that is another there, and should not be. */
  changed: number
  /** The first of the values. */
  readonly changes: Change[]
  /** Changes that the service is known to make, by kind. */
  readonly known_changes: Record<string, number>
  /** Events whose properties the service keeps as one text, which no query reads into. */
  unparseable: number
}

interface ValueCheckOptions {
  readonly inputs: readonly VerifyInput[]
  readonly service: ServiceEvents
  /** How many events are compared; Infinity for all. */
  readonly most: number
  /** Events of this name are not compared: the service keeps them elsewhere. */
  readonly skipped: string | undefined
  readonly each: (sent: SentEvent) => void
}

/** Compares a sample of the events with what the service stored, value by value. */
export async function checkValues(options: ValueCheckOptions): Promise<ValueReport> {
  const none = { compared: 0, absent: 0, changed: 0 }
  const report: ValueReport = { ...none, changes: [], known_changes: {}, unparseable: 0 }
  const { inputs, most } = options
  const samplings = new Map<VerifyInput, Sampling>()
  for (const [input, share] of sharesOf(inputs, most)) samplings.set(input, await sampling(input, share))
  const sample = new Sample(options, report)
  const days = [
    ...new Set([...samplings].flatMap(([{ byDay }, { days }]) => (byDay ? [...days] : []))),
  ].sort()
  for (const day of days) {
    for (const [input, chosen] of samplings) {
      if (input.byDay && chosen.days.has(day)) await sample.read(input, new Set([day]), chosen)
    }
    // Small days are asked for together.
    if (sample.isFull) await sample.flush(true)
  }
  for (const [input, chosen] of samplings) {
    if (!input.byDay) await sample.read(input, chosen.days, chosen)
  }
  await sample.flush(true)
  return report
}

/** How many events of each input are compared: its part of `most`, and one at least. */
function sharesOf(inputs: readonly VerifyInput[], most: number): Map<VerifyInput, number> {
  const total = sum(inputs, ({ sums }) => sums.events)
  const share = (events: number) => (most >= total ? events : Math.ceil((most / total) * events))
  return new Map(inputs.map((input) => [input, share(input.sums.events)]))
}

export function sampleSizeOf(inputs: readonly VerifyInput[], most: number): number {
  return sum([...sharesOf(inputs, most).values()])
}

interface Held {
  readonly day: string
  readonly line: Buffer
}

class Sample {
  readonly #options: ValueCheckOptions
  readonly #report: ValueReport
  /** Events of all names, by day: what the service has to look through. */
  readonly #events = new Map<string, number>()
  readonly #held = new Map<string, Held>()
  #bytes = 0

  constructor(options: ValueCheckOptions, report: ValueReport) {
    this.#options = options
    this.#report = report
    for (const [day, events] of options.inputs.flatMap(({ sums }) => [...sums.days]))
      this.#events.set(day, (this.#events.get(day) ?? 0) + events)
  }

  /** It is time to compare what is held. */
  get isFull(): boolean {
    const days = new Set([...this.#held.values()].map(({ day }) => day))
    const looksAt = sum([...days], (day) => this.#events.get(day) ?? 0)
    return this.#held.size >= MOST_EVENTS || this.#bytes >= MOST_BYTES || looksAt > MOST_LOOKED_AT
  }

  async read(input: VerifyInput, days: ReadonlySet<string>, chosen: Sampling): Promise<void> {
    const each: EachLine = (line, head) => {
      const day = headDay(head)
      const name = headName(line, head)
      if (name === this.#options.skipped || !chosen.takes(day, name)) return
      // An event that two inputs have is compared once.
      const id = `${day} ${line.toString('latin1', uuidOffset(0), head.distinctIdEnd)}`
      if (this.#held.has(id)) return
      this.#held.set(id, { day, line: Buffer.from(line) })
      this.#bytes += line.length
    }
    await input.read(days, each, () => this.flush(false))
  }

  /** Compares what is held, if it is enough for a query or `all` is to be compared. */
  async flush(all: boolean): Promise<void> {
    if (!all && this.#held.size < MOST_EVENTS && this.#bytes < MOST_BYTES) return
    const held = [...this.#held.values()].sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : 0))
    this.#held.clear()
    this.#bytes = 0
    while (held.length > 0) await this.#compare(this.#takeSome(held))
  }

  async #compare(some: readonly Held[]): Promise<void> {
    const { service, each } = this.#options
    const report = this.#report
    const sent: SentEvent[] = []
    for (const { line } of some) {
      const event = eventIn(line.toString('utf8'))
      if (event) sent.push(event)
      else {
        // The service has refused what is no event.
        report.compared++
        report.absent++
      }
    }
    if (sent.length === 0) return
    const uuids = [...new Set(sent.map(({ uuid }) => uuid))]
    const found = await service.events(some[0]!.day, some.at(-1)!.day, uuids)
    type Timed = Pick<SentEvent, 'timestamp' | 'uuid'>
    const keyOf = ({ timestamp, uuid }: Timed) => `${timestamp.slice(0, 10)} ${uuid}`
    const rows = groupedBy(found, keyOf)
    const ids = new Set(sent.map((event) => `${keyOf(event)} ${event.distinct_id}`))
    for (const event of sent) {
      const key = keyOf(event)
      // Vendors reuse their ids: what another person sent under the same uuid is not this event.
      const isOwn = (id: string) => id === event.distinct_id || !ids.has(`${key} ${id}`)
      const own = rows.get(key)?.filter(({ distinctId }) => isOwn(distinctId))
      const { found, changes, known } = compareEvent(event, own ?? [])
      report.compared++
      if (!found) report.absent++
      if (changes.length > 0) report.changed++
      report.changes.push(...changes.slice(0, MOST_CHANGES - report.changes.length))
      if (changes.some(({ property }) => property === UNPARSEABLE_PROPERTY)) report.unparseable++
      for (const kind of known) countOne(report.known_changes, kind)
      each(event)
    }
  }

  /** Takes as many events off the list as one query asks for: of few days, so that the service finds them soon. */
  #takeSome(held: Held[]): Held[] {
    let [count, bytes, looked, day] = [0, 0, 0, '']
    for (; count < held.length && count < MOST_EVENTS; count++) {
      const next = held[count]!
      if (next.day !== day) {
        day = next.day
        looked += this.#events.get(day) ?? 0
        const isFar = Date.parse(day) - Date.parse(held[0]!.day) > MOST_DAYS * MS_PER_DAY
        if (count > 0 && (looked > MOST_LOOKED_AT || isFar)) break
      }
      if (count > 0 && bytes + next.line.length > MOST_BYTES) break
      bytes += next.line.length
    }
    return held.splice(0, count)
  }
}

/** The most days that a sample reads, besides those of names that no other day has. */
const SAMPLED_DAYS = 100

/** So many cells can be chosen from, at least. */
const LEAST_CELLS = 20_000

/** Which events of an input are compared value by value. */
interface Sampling {
  readonly days: ReadonlySet<string>
  /** True for an event to compare. To be asked of each event of the days, in their order. */
  takes(day: string, name: string): boolean
}

/**
 * Chooses `most` events of an input, or all: of days spread over the whole span and of every name, from the first to
 * the last of each cell. It is the same choice each time.
 */
export async function sampling({ sums, readDays }: Cells, most: number): Promise<Sampling> {
  if (most >= sums.events) return { days: new Set(sums.days.keys()), takes: () => true }
  const chosen = spread(await chosenCells({ sums, readDays }, Math.max(2 * most, LEAST_CELLS)), most)
  const share = Math.max(1, Math.floor(most / Math.max(1, chosen.length)))
  const places = new Map<string, { readonly at: ReadonlySet<number>; seen: number }>()
  let left = most
  for (const [n, { day, event, count }] of chosen.entries()) {
    // What small cells leave over goes to the later ones.
    const fair = Math.max(share, Math.floor(left / (chosen.length - n)))
    const at = new Set(placesIn(count, fair))
    left -= at.size
    places.set(cellKey(day, event), { at, seen: 0 })
  }
  return {
    days: new Set(chosen.map(({ day }) => day)),
    takes(day, name) {
      const place = places.get(cellKey(day, name)) ?? places.get(cellKey(day, null))
      return place?.at.has(place.seen++) ?? false
    },
  }
}

type Cells = Pick<VerifyInput, 'sums' | 'readDays'>

interface Chosen {
  readonly day: string
  readonly event: string | null
  readonly count: number
}

/** The cells of some days, and one cell of each name that those days don't have; evenly spread, if they are too many. */
async function chosenCells({ sums, readDays }: Cells, most: number): Promise<readonly Chosen[]> {
  const days = new Set(spread([...sums.days.keys()], SAMPLED_DAYS))
  const chosen = new Thinned<Chosen>(most)
  const names = new Set<string | null>()
  const isNew = (name: string | null) => {
    if (names.has(name) || names.size >= MOST_NAMES) return false
    names.add(name)
    return true
  }
  for await (const { day, cells } of readDays()) {
    if (!days.has(day)) continue
    for (const { event, events } of cells) {
      isNew(event)
      chosen.add({ day, event, count: events.count })
    }
  }
  if (days.size === sums.days.size) return chosen.items
  for await (const { day, cells } of readDays()) {
    for (const { event, events } of cells) if (isNew(event)) chosen.add({ day, event, count: events.count })
  }
  return chosen.items
}

/** At most `most` of the items, evenly spread, with the first and the last. */
function spread<T>(items: readonly T[], most: number): readonly T[] {
  return placesIn(items.length, most).map((at) => items[at]!)
}

/** At most `most` of the numbers below `count`, evenly spread. */
function placesIn(count: number, most: number): number[] {
  const length = Math.min(count, Math.max(0, most))
  const step = length > 1 ? (count - 1) / (length - 1) : 0
  return Array.from({ length }, (_, i) => Math.round(i * step))
}
