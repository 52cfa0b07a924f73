import { AsRead } from '../inputs/as-read.ts'
import type { InputFile } from '../inputs/input-file.ts'
import type { Progress } from '../inputs/open-bytes.ts'
import { readRecords } from '../inputs/read.ts'
import type { RecordSink } from '../inputs/record-sink.ts'
import type { Reject } from '../record/reject.ts'
import { type Refusal, tooLongRefusal } from '../record/rules.ts'
import type { Engine } from '../transform/engine.ts'
import { type EventSink, ExplodingSink } from '../transform/exploding-sink.ts'
import type { Job } from '../transform/job.ts'
import type { Match, Matcher } from './sought.ts'

/** A record and where it is. */
export interface FoundRecord {
  readonly input: InputFile
  /** Of its line, row or element, as `readRecords` tells it. */
  readonly number: number
  /** Undefined when it was too long to be held. */
  readonly record: Buffer | undefined
  /** The record as its file has it, where column types made others of its cells. */
  readonly row: string | undefined
  /** Why its reader made no line of it. */
  readonly refusal: Refusal | undefined
  /** The child that was looked for, where the record becomes several events. */
  readonly child: number | undefined
  readonly match: Match | undefined
}

/** What reading the input came to. */
export interface Search {
  readonly found: FoundRecord | undefined
  /** Records that were read. */
  readonly read: number
  /** Number of the last one. */
  readonly last: number
}

export interface SearchOptions {
  readonly job: Pick<Job, 'columns' | 'withTable'>
  readonly inputs: readonly InputFile[]
  readonly progress: Progress
  /** Throws its reason. */
  readonly stop: AbortSignal
}

/** The record whose number is `line`, or the first with a higher one; the first of all for 0. */
export async function findByNumber(line: number, options: SearchOptions): Promise<Search> {
  return new Reading(options).run((place, number, take) => {
    if (number >= line) take(place)
  })
}

/** The first record that matches. What its reader refused is passed over. */
export async function findByMatch(
  matcher: Matcher,
  { exploder }: Pick<Engine, 'exploder'>,
  options: SearchOptions,
): Promise<Search> {
  let found: { readonly match: Match; readonly child: number | undefined } | undefined
  const sink: EventSink = {
    line(bytes, start, end, _offset, _line, child) {
      const match = found ? undefined : matcher.match(bytes, start, end)
      if (match) found = { match, child }
      return 'filtered'
    },
    tooLong() {},
    reject: () => 'rejected',
    leaveOut() {},
    unusable() {},
  }
  const exploding = exploder ? new ExplodingSink(exploder, sink) : sink
  return new Reading(options).run((place, number, take) => {
    if (place.line === undefined) return
    exploding.line(place.line.bytes, place.line.start, place.line.end, 0, number)
    if (found) take(place, found.match, found.child)
  })
}

/** Hands `see` every record, or child of one, that comes before `until`. */
export async function readBefore(
  { input, number }: FoundRecord,
  { exploder }: Pick<Engine, 'exploder'>,
  options: SearchOptions,
  see: (bytes: Buffer, start: number, end: number) => void,
): Promise<void> {
  const sink: EventSink = {
    line(bytes, start, end) {
      see(bytes, start, end)
      return 'filtered'
    },
    tooLong() {},
    reject: () => 'rejected',
    leaveOut() {},
    unusable() {},
  }
  const exploding = exploder ? new ExplodingSink(exploder, sink) : sink
  await new Reading(options).run((place, at, take, from) => {
    if (from === input && at >= number) take(place)
    else if (place.line) exploding.line(place.line.bytes, place.line.start, place.line.end, 0, at)
  })
}

/** A record as its reader hands it over: a span that is valid for the moment, or why there is none. */
interface Place {
  readonly line?: { readonly bytes: Buffer; readonly start: number; readonly end: number }
  readonly refusal?: Refusal
  readonly text?: string | null
  readonly asRead?: AsRead
}

type Take = (place: Place, match?: Match, child?: number) => void

class Reading {
  readonly #options: SearchOptions
  readonly #enough = new AbortController()
  #found: FoundRecord | undefined
  #read = 0
  #last = 0

  constructor(options: SearchOptions) {
    this.#options = options
  }

  /** Hands every record to `look`, until that takes one. */
  async run(look: (place: Place, number: number, take: Take, input: InputFile) => void): Promise<Search> {
    const { job, inputs, progress, stop } = this.#options
    const asRead = new AsRead()
    for (const input of inputs) {
      if (this.#found) break
      const see = (place: Place, number: number) => {
        if (this.#found) return
        this.#read++
        this.#last = number
        look(place, number, (...taken) => this.#take(input, number, ...taken), input)
      }
      await readRecords(input, sinkOf(see, asRead), {
        asRead,
        columns: job.columns,
        withTable: job.withTable,
        progress,
        stop: AbortSignal.any([this.#enough.signal, stop]),
      })
      stop.throwIfAborted()
    }
    return { found: this.#found, read: this.#read, last: this.#last }
  }

  #take(
    input: InputFile,
    number: number,
    { line, refusal, text, asRead }: Place,
    match?: Match,
    child?: number,
  ) {
    if (this.#found) return
    const held = line && Buffer.from(line.bytes.subarray(line.start, line.end))
    const record = held ?? (typeof text === 'string' ? Buffer.from(text) : undefined)
    this.#found = { input, number, record, row: asRead?.row?.().toString(), refusal, child, match }
    this.#enough.abort()
  }
}

function sinkOf(see: (place: Place, number: number) => void, asRead: AsRead): RecordSink {
  return {
    line: (bytes, start, end, _offset, number) => see({ line: { bytes, start, end }, asRead }, number),
    tooLong: (_offset, length, number) => see({ refusal: tooLongRefusal(length) }, number),
    reject: ({ line, reason, message, record }: Reject) =>
      see({ refusal: { reason, message }, text: record }, line),
    unusable() {},
  }
}
