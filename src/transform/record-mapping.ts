import type { MappedEvent } from '../mapping/mapped.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Preset } from '../mapping/preset.ts'
import { Engine } from '../pipeline/engine.ts'
import { type ItemOutcome, RecordLoop } from '../pipeline/loop.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { type Counts, zeroCounts } from '../record/counts.ts'
import { countOne } from '../record/notes.ts'
import type { Reject } from '../record/reject.ts'
import { VERSION } from '../version.ts'
import { Resolver } from './generate.ts'
import { Observations } from './observations.ts'
import { KINDS, type LineKind } from './run/frame.ts'
import { Twins } from './seal/dedupe.ts'

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
interface RecordMappingOptions {
  readonly preset: Preset
  readonly mapping: Mapping
  readonly switches: ReadonlySet<string>
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
  readonly #engine: Engine
  readonly #loop: RecordLoop
  readonly #resolver = new Resolver()
  readonly #observations = new Observations((seen) => {
    for (const one of seen) this.#resolver.see(one)
  })
  readonly #twins = new Twins()
  #made: MadeLine[] = []

  constructor(options: RecordMappingOptions) {
    const { preset, mapping, rejected: _, ...rest } = options
    this.#options = options
    this.#engine = new Engine(preset, mapping, { ...rest, version: VERSION })
    this.#loop = new RecordLoop(this.#engine, { take: (outcome, item) => this.#take(outcome, item.line) })
  }

  get notes() {
    return this.#engine.mapper.notes
  }

  /** The lines of one record, in order. `number` is its place among all, from 1. */
  take(record: Buffer, number: number): readonly MadeLine[] {
    this.#made = []
    this.#loop.give(record, number)
    return this.#made
  }

  /** The lines that all records together show. */
  end(): readonly MadeLine[] {
    this.#observations.flush()
    const made: MadeLine[] = []
    const out = new ByteWriter()
    let start = 0
    const { preset, mapping, importId } = this.#options
    const shared = { vendor: preset.vendor, version: VERSION, importId, set: mapping.properties.set }
    this.#resolver.write(shared, out, ({ instant, seq }, kind) => {
      made.push({ line: out.bytes.toString('utf8', start, out.length), instant, seq, kind })
      start = out.length
    })
    this.counts.generated = made.length
    return made
  }

  #take(outcome: ItemOutcome, line: number): void {
    const seq = this.counts.read++
    if (outcome.status === 'event') this.#keep(outcome, seq)
    else if (outcome.status === 'rejected') {
      const { reason, message, record, child } = outcome
      this.counts.rejected++
      countOne(this.reasons, reason)
      this.#options.rejected({ line, reason, message, record, ...(child !== undefined && { child }) })
    } else {
      const { reason, link } = outcome
      if (link) this.#observations.link(link, link.instant, seq)
      this.counts.filtered++
      countOne(this.filtered, reason)
    }
  }

  #keep(event: MappedEvent, seq: number): void {
    const { instant, ownId, link, groupStates } = event
    if (link) this.#observations.link(link, instant, seq)
    for (const state of groupStates) this.#observations.group(state, instant, seq)
    if (!ownId) this.#twins.tellApart(event.line)
    this.counts.written++
    const kind = ownId ? KINDS.own : KINDS.content
    this.#made.push({ line: event.text, instant, seq, kind })
  }
}
