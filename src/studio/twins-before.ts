import { mapJoined } from '../pipeline/side/joiner.ts'
import { headUuid } from '../record/head.ts'
import { nthTwin } from '../record/uuid.ts'
import type { Engine } from '../transform/engine.ts'
import type { PartTrace, Trace } from './trace.ts'

/**
 * Gives the events of a trace the uuids that a transform gives them. A record without an id has the uuid of its content,
 * which those that are the same before it have too: it is told apart by how many they are.
 */
export class TwinsBefore {
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

  /** Looks at a record, or a child of one, that comes before. */
  see(
    { mapper, joiner }: Pick<Engine, 'mapper' | 'joiner'>,
    bytes: Buffer,
    start: number,
    end: number,
  ): void {
    const mapped = mapJoined(mapper, joiner, bytes, start, end)
    if (mapped.status !== 'event' || mapped.ownId) return
    const uuid = headUuid(mapped.line.bytes, 0)
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
