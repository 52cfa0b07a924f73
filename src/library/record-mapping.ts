import { Exploder } from '../mapping/explode.ts'
import { Mapper } from '../mapping/mapper.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Preset } from '../mapping/preset.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { type Counts, zeroCounts } from '../record/counts.ts'
import { countOne } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { type EventSink, ExplodingSink, type NoEvent } from '../transform/exploding-sink.ts'
import { Resolver } from '../transform/generate.ts'
import { Observations } from '../transform/observations.ts'
import { KINDS, type LineKind } from '../transform/run/frame.ts'
import { Twins } from '../transform/twins.ts'
import { VERSION } from '../version.ts'

/** A record, or a child of it, that can't become an event. */
export type RecordReject = Pick<Reject, 'line' | 'reason' | 'message' | 'record' | 'child'>

/**
 * One line that was made, and where a dataset would have it: by `instant`, then `seq`, then `kind`.
 * @internal
 */
export interface MadeLine {
  readonly line: string
  readonly instant: number
  readonly seq: number
  readonly kind: LineKind
}

/** @internal */
export interface RecordMappingOptions {
  readonly preset: Preset
  readonly mapping: Mapping
  readonly switches: ReadonlySet<string>
  readonly groupEventName: string
  readonly importId: string | null
  readonly hashKey?: string | undefined
  /** The clock, in microseconds. */
  readonly now: number
  readonly rejected: (reject: RecordReject) => void
}

/**
 * What a transform does with records, in memory: it maps each, tells twins without an id apart, and at the end makes the
 * events that only all records show. It keeps 50 bytes for each record without an id of its own, and each link and group state.
 * @internal
 */
export class RecordMapping {
  readonly counts: Counts & { generated: number } = { ...zeroCounts(), generated: 0 }
  readonly reasons: Record<string, number> = Object.create(null) as Record<string, number>
  readonly filtered: Record<string, number> = Object.create(null) as Record<string, number>
  readonly #options: RecordMappingOptions
  readonly #mapper: Mapper
  readonly #sink: ExplodingSink | EventSink
  readonly #resolver = new Resolver()
  readonly #observations = new Observations((seen) => {
    for (const one of seen) this.#resolver.see(one)
  })
  readonly #twins = new Twins()
  #made: MadeLine[] = []

  constructor(options: RecordMappingOptions) {
    const { preset, mapping, rejected: _, ...rest } = options
    this.#options = options
    this.#mapper = new Mapper(preset, mapping, { ...rest, version: VERSION })
    const sink: EventSink = {
      line: (bytes, start, end, _offset, line, child) => this.#map(bytes, start, end, line, child),
      // Records come whole.
      tooLong: () => undefined,
      reject: (one) => {
        this.counts.read++
        return this.#reject(one)
      },
      leaveOut: (reason) => {
        this.counts.read++
        this.#leaveOut(reason)
      },
      unusable: (what) => countOne(this.#mapper.notes.unusable, what),
    }
    const exploder = preset.explode && new Exploder(preset.explode, this.#mapper.notes.mends)
    this.#sink = exploder ? new ExplodingSink(exploder, sink) : sink
  }

  get notes() {
    return this.#mapper.notes
  }

  /** The lines of one record, in order. `number` is its place among all, from 1. */
  take(record: Buffer, number: number): readonly MadeLine[] {
    this.#made = []
    this.#sink.line(record, 0, record.length, 0, number)
    return this.#made
  }

  /** The lines that all records together show. */
  end(): readonly MadeLine[] {
    this.#observations.flush()
    const made: MadeLine[] = []
    const out = new ByteWriter()
    let start = 0
    const { preset, mapping, groupEventName, importId } = this.#options
    const shared = {
      vendor: preset.vendor,
      version: VERSION,
      groupEventName,
      importId,
      set: mapping.properties.set,
    }
    this.#resolver.write(shared, out, ({ instant, seq }, kind) => {
      made.push({ line: out.bytes.toString('utf8', start, out.length), instant, seq, kind })
      start = out.length
    })
    this.counts.generated = made.length
    return made
  }

  #map(
    bytes: Buffer,
    start: number,
    end: number,
    line: number,
    child: number | undefined,
  ): 'event' | NoEvent {
    const seq = this.counts.read++
    const mapped = this.#mapper.map(bytes, start, end)
    if (mapped.status === 'rejected') {
      const { reason, message } = mapped
      return this.#reject({ line, reason, message, record: bytes.toString('utf8', start, end), child })
    }
    if (mapped.status === 'filtered') {
      const { link } = mapped
      if (link) this.#observations.link(link, link.instant, seq)
      return this.#leaveOut(mapped.reason)
    }
    const { instant, ownId, link, groupStates } = mapped
    if (link) this.#observations.link(link, instant, seq)
    for (const state of groupStates) this.#observations.group(state, instant, seq)
    if (!ownId) this.#twins.tellApart(mapped.line)
    this.counts.written++
    const kind = ownId ? KINDS.own : KINDS.content
    this.#made.push({ line: mapped.text, instant, seq, kind })
    return 'event'
  }

  #reject({ line, reason, message, record, child }: RecordReject): NoEvent {
    this.counts.rejected++
    countOne(this.reasons, reason)
    this.#options.rejected({ line, reason, message, record, ...(child !== undefined && { child }) })
    return 'rejected'
  }

  #leaveOut(reason: string): NoEvent {
    this.counts.filtered++
    countOne(this.filtered, reason)
    return 'filtered'
  }
}
