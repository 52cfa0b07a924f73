import { createHash } from 'node:crypto'
import { z } from 'zod'
import {
  type ArrivalCell,
  cellSchema,
  countShape,
  day,
  type EventPart,
  type EventsManifest,
  LinesPiece,
  readArrival,
  readEventsManifest,
  type Store,
} from '../store/index.ts'
import { VERSION } from '../version.ts'

/*
 * The record of what an import sends from a dataset, beside its checkpoint: `<name>.sent.ndjson`. The dataset itself can be
 * made anew by other rules, and then nothing else would tell that the events in the service are others.
 *
 *     {"version":1,"tool":"posthaul 0.1.0","manifest_sha256":"…","content":"…","events":3934,"properties":["plan"]}
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
  /** The names of the properties that events have. */
  properties: z.array(z.string()),
})

const sentDay = z.object({
  day,
  parts: countShape,
  events: countShape,
  print: z.string(),
  first: z.string(),
  last: z.string(),
})

export type SentHeader = z.infer<typeof header>
export type SentDay = z.infer<typeof sentDay>

/** A record as it was read. Its cells are read in order, some at a time. */
export interface SentRecord {
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
export function daysOf({ parts }: Pick<EventsManifest, 'parts'>): SentDay[] {
  const byDay = new Map<string, EventPart[]>()
  for (const part of parts) byDay.set(part.day, [...(byDay.get(part.day) ?? []), part])
  return [...byDay].sort(([a], [b]) => (a < b ? -1 : 1)).map(([one, all]) => dayOf(one, all))
}

function dayOf(of: string, parts: readonly EventPart[]): SentDay {
  const sorted = parts.toSorted((a, b) => (a.file < b.file ? -1 : 1))
  const print = createHash('sha256').update(sorted.map(({ sha256 }) => sha256).join(' '))
  return {
    day: of,
    parts: parts.length,
    events: parts.reduce((sum, { events }) => sum + events, 0),
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
    properties: Object.keys(manifest.properties).sort(),
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

/** Reads a record; undefined if there is none, as beside checkpoints of earlier versions. */
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
