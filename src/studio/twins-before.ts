import type { ItemOutcome, RecordVisitor } from '../pipeline/loop.ts'
import { headUuid, nthTwin } from '../record/index.ts'
import type { PartTrace, Trace } from './trace.ts'

/**
 * Gives the events of a trace the uuids that a transform gives them. A record without an id has the uuid of its content,
 * which those that are the same before it have too: it is told apart by how many they are.
 */
export class TwinsBefore implements RecordVisitor {
  readonly #trace: Trace
  readonly #counts = new Map<string, number>()

  constructor(trace: Trace) {
    this.#trace = trace
    for (const { event } of trace.parts) if (event?.uuidFrom === 'content') this.#counts.set(event.uuid, 0)
  }

  /** False where no other record can have a say. */
  get areAsked(): boolean {
    return this.#counts.size > 0
  }

  /** Counts a record, or a child of one, that comes before. */
  take(outcome: ItemOutcome): void {
    if (outcome.status !== 'event' || outcome.ownId) return
    const uuid = headUuid(outcome.line.bytes, 0)
    const before = this.#counts.get(uuid)
    if (before !== undefined) this.#counts.set(uuid, before + 1)
  }

  /** The trace, after all records before it were seen. */
  toldApart(): Trace {
    const counts = new Map(this.#counts)
    const parts = this.#trace.parts.map((part): PartTrace => {
      const { event } = part
      const twin = event?.uuidFrom === 'content' ? (counts.get(event.uuid) ?? 0) : 0
      if (event?.uuidFrom === 'content') counts.set(event.uuid, twin + 1)
      if (!event || twin === 0) return part
      const uuid = nthTwin(event.uuid, twin)
      const places = event.places.map((one) =>
        one.place === 'uuid' ? { ...one, value: JSON.stringify(uuid) } : one,
      )
      // The uuid is the first member of the line.
      return { ...part, event: { ...event, twin, uuid, line: event.line.replace(event.uuid, uuid), places } }
    })
    return { ...this.#trace, parts }
  }
}
