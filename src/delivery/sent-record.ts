import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type ArrivalCell, cellSchema, LinesPiece, readArrival } from '../store/arrival.ts'
import { fingerprintOf } from '../store/arrival-cell.ts'
import { readEventsManifest } from '../store/dataset.ts'
import { countShape, day, type EventPart, type EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'
import { groupedBy, sum } from '../text/lists.ts'
import { VERSION } from '../version.ts'
import type { CheckpointState } from './checkpoint.ts'

/*
 * The record of what an import sends from a dataset, beside its checkpoint: `<name>.sent.ndjson`. The dataset itself can be
 * made anew by other rules, and then nothing else would tell that the events in the service are others.
 *
 *     {"version":1,"tool":"posthaul 0.1.0","manifest_sha256":"…","content":"…","events":3934}
 *     {"day":"2024-03-01","parts":1,"events":120,"print":"…","first":"…","last":"…"}
 *     {"day":"2024-03-01","event":"signup","count":120,"xor":["…","…"],"sum":["…","…"],"times":"…"}
 *
 * First a line a day, then the lines of arrival.ndjson. It is written before the first event is sent, as a whole. A run that
 * is killed before has sent nothing; one that is killed later has the record. It never changes while its checkpoint goes on,
 * for an import goes on only with the very same events.
 */

const header = z.object({
  version: z.literal(1),
  tool: z.string(),
  manifest_sha256: z.string(),
  /** Of the names and contents of all parts: see `contentOf`. */
  content: z.string(),
  events: countShape,
})

const sentDay = z.object({
  day,
  parts: countShape,
  events: countShape,
  print: z.string(),
  first: z.string(),
  last: z.string(),
})

type SentHeader = z.infer<typeof header>
type SentDay = z.infer<typeof sentDay>

/** A record as it was read. Its cells are read in order, some at a time. */
interface SentRecord {
  readonly header: SentHeader
  readonly days: readonly SentDay[]
  cells(): AsyncGenerator<readonly ArrivalCell[]>
}

/** By which a dataset is known again wherever it lies: two with the same hold the same events, byte for byte. */
export function contentOf({ parts }: Pick<EventsManifest, 'parts'>): string {
  const lines = parts.map(({ file, sha256, events }) => `${file} ${sha256} ${events}\n`).sort()
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** What the record says of each day of a dataset, oldest first. */
function daysOf({ parts }: Pick<EventsManifest, 'parts'>): SentDay[] {
  return [...groupedBy(parts, (part) => part.day)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([one, all]) => dayOf(one, all))
}

function dayOf(of: string, parts: readonly EventPart[]): SentDay {
  const sorted = parts.toSorted((a, b) => (a.file < b.file ? -1 : 1))
  const print = createHash('sha256').update(sorted.map(({ sha256 }) => sha256).join(' '))
  return {
    day: of,
    parts: parts.length,
    events: sum(parts, ({ events }) => events),
    print: print.digest('hex').slice(0, 32),
    first: parts.map(({ first }) => first).sort()[0]!,
    last: parts
      .map(({ last }) => last)
      .sort()
      .at(-1)!,
  }
}

/** Writes the record of a dataset, unless it is there. */
export async function keepSent(
  state: Store,
  name: string,
  dataset: Store,
  manifestSha256: string,
): Promise<void> {
  const known = await readSent(state, name)
  if (known?.header.manifest_sha256 === manifestSha256) return
  const manifest = await readEventsManifest(dataset)
  const head: SentHeader = {
    version: 1,
    tool: `posthaul ${VERSION}`,
    manifest_sha256: manifestSha256,
    content: contentOf(manifest),
    events: manifest.events.written,
  }
  async function* text(): AsyncGenerator<Buffer> {
    yield Buffer.from([head, ...daysOf(manifest)].map((one) => `${JSON.stringify(one)}\n`).join(''))
    for await (const cells of readArrival(dataset, manifest)) {
      if (cells.length > 0) yield Buffer.from(cells.map((cell) => `${JSON.stringify(cell)}\n`).join(''))
    }
  }
  await state.put(name, text())
}

export const SENT_LINES = new LinesPiece({
  name: 'sent record',
  code: 'mismatch',
  wrong: ', which says what was sent, is damaged',
  hint: 'restore it from a backup, or remove it: what was sent can then not be compared',
})

/** Reads a record; undefined if there is none. */
export async function readSent(state: Store, name: string): Promise<SentRecord | undefined> {
  if ((await state.stamp(name)) === undefined) return undefined
  let head: SentHeader | undefined
  const days: SentDay[] = []
  const cells = () => cellsOf(state, name)
  for await (const lines of linesOf(state, name)) {
    for (const line of lines) {
      if ('tool' in line) head = line
      else if ('print' in line) days.push(line)
      else return head && { header: head, days, cells }
    }
  }
  return head && { header: head, days, cells }
}

async function* cellsOf(state: Store, name: string): AsyncGenerator<readonly ArrivalCell[]> {
  for await (const lines of linesOf(state, name)) yield lines.filter((line) => 'xor' in line)
}

function linesOf(
  state: Store,
  file: string,
): AsyncGenerator<readonly (SentHeader | SentDay | ArrivalCell)[]> {
  return SENT_LINES.read(state, { file }, (value, line) =>
    line === 1 ? header.parse(value) : isCell(value) ? cellSchema.parse(value) : sentDay.parse(value),
  )
}

function isCell(line: unknown): boolean {
  return typeof line === 'object' && line !== null && 'xor' in line
}

/** What became of the events that were sent, in the dataset as it is now. All counts are of events that were sent. */
export type SentDifference = Readonly<Awaited<ReturnType<typeof compareSent>>>

const MOST_PLACES = 5

/**
 * Compares what an import has sent with its dataset as it is now. Days whose parts are the same bytes hold the same events.
 * Of other days each name is compared by its fingerprint, with and without the times: a name whose events are only partly the same
 * counts as a whole.
 */
export async function compareSent(
  record: SentRecord,
  state: Pick<CheckpointState, 'places' | 'done'>,
  dataset: Store,
  manifest: EventsManifest,
) {
  const sentDays = daysSent(record.days, state)
  const now = new Map(daysOf(manifest).map((one) => [one.day, one]))
  const same = new Set(sentDays.filter((one) => now.get(one.day)?.print === one.print).map(({ day }) => day))
  const days = new Set(sentDays.map(({ day }) => day))
  const counts = { alike: 0, moved: 0 }
  const places: { day: string; event: string | null; count: number }[] = []
  for await (const [cell, other] of paired(record.cells(), readArrival(dataset, manifest))) {
    if (!days.has(cell.day) || same.has(cell.day)) continue
    const kind = kindOf(cell, other)
    if (kind !== undefined) counts[kind] += cell.count
    if (kind === 'alike') continue
    if (places.length < MOST_PLACES) places.push({ day: cell.day, event: cell.event, count: cell.count })
  }
  const total = (some: readonly SentDay[]) => sum(some, ({ events }) => events)
  const sent = total(sentDays)
  const samely = total(sentDays.filter(({ day }) => same.has(day)))
  return {
    /** Of the days that were sent, in whole or in part. */
    sent,
    /** The very same events are in the dataset. */
    same: samely,
    /** Events of the same id, name, person and time are in it, so that they merge; their properties differ. */
    alike: counts.alike,
    /** At most: they are not in it under this id, name, person or time, and would stay beside what is sent now. */
    twice: sent - samely - counts.alike,
    /** Those of them that are in it under this id, name and person: only their times changed. */
    moved: counts.moved,
    /** Where these are: by day and name, `event` null for all names of a day. The first few. */
    places,
  }
}

/** The days of which something was sent: parts are sent in order. */
function daysSent(
  days: readonly SentDay[],
  { places, done }: Pick<CheckpointState, 'places' | 'done'>,
): SentDay[] {
  if (done) return [...days]
  const furthest = Math.max(...places.map(({ part, offset }) => (offset > 0 ? part : part - 1)))
  let before = 0
  return days.filter(({ parts }) => {
    const isSent = before <= furthest
    before += parts
    return isSent
  })
}

/** What became of a cell whose events are the same but for their times; undefined for another. */
function kindOf(cell: ArrivalCell, other: ArrivalCell | undefined): 'alike' | 'moved' | undefined {
  const likeness = other ? fingerprintOf(cell).likeness(fingerprintOf(other)) : 'different'
  return likeness === 'different' ? undefined : likeness === 'same' ? 'alike' : 'moved'
}

/** Each cell of the first beside the one of the same day and name of the second. Both are sorted by day, then by name. */
async function* paired(
  first: AsyncIterable<readonly ArrivalCell[]>,
  second: AsyncIterable<readonly ArrivalCell[]>,
): AsyncGenerator<readonly [ArrivalCell, ArrivalCell | undefined]> {
  const others = singly(second)
  let other = await others.next()
  for await (const cell of singly(first)) {
    while (!other.done && isBefore(other.value, cell)) other = await others.next()
    const isThis = !other.done && other.value.day === cell.day && other.value.event === cell.event
    yield [cell, isThis && !other.done ? other.value : undefined]
  }
}

async function* singly(cells: AsyncIterable<readonly ArrivalCell[]>): AsyncGenerator<ArrivalCell> {
  for await (const some of cells) yield* some
}

/** As arrival.ndjson is sorted: all names of a day in one come first. */
function isBefore(a: ArrivalCell, b: ArrivalCell): boolean {
  if (a.day !== b.day) return a.day < b.day
  if (a.event === null || b.event === null) return a.event === null && b.event !== null
  return a.event < b.event
}
