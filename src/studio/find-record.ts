import type { InputFile } from '../inputs/input-file.ts'
import type { ByteProgress } from '../inputs/open-bytes.ts'
import { readRecords } from '../inputs/read.ts'
import { AsRead, type RecordSink } from '../inputs/record-sink.ts'
import type { MappedEvent } from '../mapping/mapped.ts'
import type { Engine } from '../pipeline/engine.ts'
import { type ItemOutcome, RecordLoop, type RecordVisitor } from '../pipeline/loop.ts'
import { headUuid, readIdentity } from '../record/head.ts'
import { type Refusal, tooLongRefusal } from '../record/rules.ts'
import { nthTwin } from '../record/uuid.ts'
import { groupUuid, identifyUuid } from '../transform/generate.ts'
import type { Job } from '../transform/job.ts'

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
  readonly progress: ByteProgress
  /** Throws its reason. */
  readonly stop: AbortSignal
}

/**
 * The record whose number is `line`, or the first with a higher one; the first of all for 0. It maps nothing: a record is
 * found by its number too where a reader or the rules refuse it.
 */
export async function findByNumber(line: number, options: SearchOptions): Promise<Search> {
  const { job, inputs, progress, stop } = options
  const { columns, withTable } = job
  const asRead = new AsRead()
  const enough = new AbortController()
  let found: FoundRecord | undefined
  let [read, last] = [0, 0]
  for (const input of inputs) {
    if (found) break
    const see = (number: number, place: () => Pick<FoundRecord, 'record' | 'refusal'>) => {
      if (found) return
      read++
      last = number
      if (number < line) return
      const row = asRead.row?.().toString()
      found = { input, number, row, ...place(), child: undefined, match: undefined }
      enough.abort()
    }
    const sink: RecordSink = {
      line: (bytes, start, end, _offset, number) =>
        see(number, () => ({ record: Buffer.from(bytes.subarray(start, end)), refusal: undefined })),
      tooLong: (_offset, length, number) =>
        see(number, () => ({ record: undefined, refusal: tooLongRefusal(length) })),
      reject: ({ line, reason, message, record }) =>
        see(line, () => ({
          record: record === null ? undefined : Buffer.from(record),
          refusal: { reason, message },
        })),
      unusable() {},
    }
    const ends = AbortSignal.any([enough.signal, stop])
    await readRecords(input, sink, { asRead, columns, withTable, progress, stop: ends })
    stop.throwIfAborted()
  }
  return { found, read, last }
}

/** The first record that matches. What its reader refused is passed over. */
async function findByMatch(matchOf: Matcher, engine: Engine, options: SearchOptions): Promise<Search> {
  let found: FoundRecord | undefined
  const loop = new RecordLoop(engine, {
    isFull: () => found !== undefined,
    take(outcome, { input, whole, line: number, row, child, source }) {
      const match = matchOf(outcome, source)
      if (!match) return
      const record = whole.copy()
      const place = { input: input!, number, row: row?.().toString(), child }
      found = { ...place, record, refusal: undefined, match }
    },
  })
  await readAll(loop, options)
  return { found, read: loop.records.read, last: loop.item.line }
}

/** Hands the visitor every record, or child of one, that comes before a record. */
export async function readBefore(
  { input, number }: FoundRecord,
  engine: Engine,
  visitor: RecordVisitor,
  options: SearchOptions,
): Promise<void> {
  const loop = new RecordLoop(engine, {
    isFull: (item) => item.input === input && item.line >= number,
    take: (outcome, item) => visitor.take(outcome, item),
  })
  await readAll(loop, options)
}

async function readAll(loop: RecordLoop, { job, inputs, progress, stop }: SearchOptions): Promise<void> {
  await loop.read(inputs, { columns: job.columns, withTable: job.withTable, progress, stop })
}

/** Twins of one record that are told apart when one of them is looked for. */
const MOST_TWINS = 20
/** Names of events that are kept to find what a misspelt one meant. */
const MOST_NAMES = 1000

/** How the record was found: it is the event's own, or the first that shows what a generated event says. */
type Match = 'itself' | '$identify' | 'group'

/** Looks at what became of records, or of children of them, one by one. `source` is the name that the source gives the event. */
type Matcher = (outcome: ItemOutcome, source: string | undefined) => Match | undefined

/** Finds the first record of an event, by its name in the source or in the service. `names`: those that were met. */
export async function findByName(name: string, engine: Engine, options: SearchOptions) {
  const names = new Set<string>()
  const quoted = Buffer.from(JSON.stringify(name))
  const span = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }
  const isCalled = ({ bytes, length }: MappedEvent['line']) =>
    readIdentity(bytes, 0, length, span) && bytes.subarray(span.eventStart, span.eventEnd).equals(quoted)
  const match: Matcher = (outcome, source) => {
    if (source !== undefined && names.size < MOST_NAMES) names.add(source)
    return source === name || (outcome.status === 'event' && isCalled(outcome.line)) ? 'itself' : undefined
  }
  return { search: await findByMatch(match, engine, options), names }
}

/**
 * Finds the record that an event came from, or the first that shows what a generated event says. Of records without an id the
 * uuid may be that of a twin: those are looked for by reading all once more, which `again` is told of.
 */
export async function findByUuid(
  uuid: string,
  engine: Engine,
  options: SearchOptions,
  again: () => void = () => undefined,
): Promise<Search> {
  let hasTwins = false
  const match: Matcher = (outcome) => {
    if (outcome.status === 'rejected') return undefined
    if (outcome.status === 'event') {
      if (!outcome.ownId) hasTwins = true
      if (headUuid(outcome.line.bytes, 0) === uuid) return 'itself'
    }
    const { link } = outcome
    if (link && identifyUuid(link.user.text, link.anonymous.text) === uuid) return '$identify'
    if (outcome.status !== 'event') return undefined
    const { groupStates, instant } = outcome
    return groupStates.some((state) => groupUuid(state, instant) === uuid) ? 'group' : undefined
  }
  const search = await findByMatch(match, engine, options)
  if (search.found || !hasTwins) return search
  again()
  return findByMatch(twinMatcher(uuid), engine, options)
}

/** Finds the record whose uuid is told apart from that of records before it that are the same. */
function twinMatcher(uuid: string): Matcher {
  let first: { readonly uuid: string; readonly number: number } | undefined
  let seen = 0
  const placeOf = (own: string) => {
    for (let number = 1; number <= MOST_TWINS; number++)
      if (nthTwin(own, number) === uuid) return { uuid: own, number }
    return undefined
  }
  return (outcome) => {
    if (outcome.status !== 'event' || outcome.ownId) return undefined
    const own = headUuid(outcome.line.bytes, 0)
    first ??= placeOf(own)
    return first?.uuid === own && seen++ === first.number ? 'itself' : undefined
  }
}
