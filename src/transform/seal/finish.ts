import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { PosthaulError } from '../../errors.ts'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import { importIdsOf, type NameTable, ofNames } from '../../record/notes.ts'
import { dayText } from '../../record/time.ts'
import { type ArrivalCell, writeArrival } from '../../store/arrival.ts'
import { writeManifest } from '../../store/dataset.ts'
import { errnoOf } from '../../store/file-error.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { OUTCOMES, parsePartName, REJECTS } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { sum } from '../../text/lists.ts'
import type { Generated } from '../generate.ts'
import type { Job, UnitResult } from '../job.ts'
import type { Journal } from '../journal.ts'
import { writeLinks } from '../links.ts'
import { type Outcomes, saveOutcomes } from '../outcomes.ts'
import { dayName } from '../task.ts'
import type { Transformed, TransformRunOptions } from '../transform-tally.ts'
import { damaged, type WrittenFile } from '../work-file.ts'
import type { SealedDay } from './day.ts'

export interface Finished {
  /** All sealed days in order, without their names and cells. */
  readonly days: readonly (Pick<SealedDay, 'parts' | 'written' | 'generated'> & { readonly day: number })[]
  /** The names of all of them together. */
  readonly names: ReturnType<NameTable<number>['take']>
  /** The rejects of all units, in their order. */
  rejects(): Iterable<UnitRejects>
  cells(): Iterable<ArrivalCell> | AsyncIterable<ArrivalCell>
  links(): AsyncIterable<Buffer>
  readonly linkCount: number
  /** What became of the records; undefined for a part of the people in them. */
  readonly outcomes?: Omit<Outcomes, 'tool' | 'arrival'>
}

/** What a manifest says of how the dataset came to be. */
interface MadeBy extends Pick<TransformRunOptions, 'tool' | 'source'> {
  readonly trial?: EventsManifest['trial']
}

/**
 * Writes what makes sealed days a dataset: rejects, what should arrive, and the manifest, which comes last and is
 * returned.
 */
export async function finishDataset(
  job: Pick<Job, 'out' | 'rules' | 'importId' | 'after' | 'mapping'>,
  finished: Finished,
  result: Transformed,
  by: MadeBy,
): Promise<EventsManifest> {
  const store = await openStore(job.out)
  const parts = finished.days.flatMap((day) => day.parts)
  if (result.counts.rejected > 0) await store.put(REJECTS, numbered(finished.rejects()))
  else await store.remove(REJECTS)
  // Removes parts of an earlier transform that this one did not write again.
  const current = new Set(parts.map((part) => part.file))
  for (const { name } of await store.list()) {
    if (parsePartName(name) && !current.has(name)) await store.remove(name)
  }
  const header = {
    version: 1 as const,
    rules: job.rules,
    import_ids: importIdsOf(job.importId, result.notes),
  }
  const arrival = await writeArrival(store, header, finished.cells())
  const links = await writeLinks(store, finished.links(), finished.linkCount)
  if (finished.outcomes)
    await saveOutcomes(store, { tool: by.tool, arrival: arrival.sha256, ...finished.outcomes })
  else await store.remove(OUTCOMES)
  const whole = manifestOf(job, finished, result, { ...by, arrival, links })
  await writeManifest(store, whole)
  return whole
}

/**
 * What was mapped is in the dataset, or counted as a duplicate: no piece may have lost or doubled any. To be called before
 * anything is finished. Code `mismatch`.
 */
export function assertConserved({ counts, rejects }: Pick<Transformed, 'counts' | 'rejects'>): void {
  const { read, written, rejected, filtered, duplicate, earlier, pending } = counts
  if (pending === 0 && read === written + rejected + filtered + duplicate + earlier) return
  throw new PosthaulError(
    `the sums contradict each other: ${read} read, ${written} written, ${rejected} rejected, ${filtered} filtered, ${duplicate + earlier} duplicates`,
    {
      code: 'mismatch',
      lines: Object.entries(rejects).map(([reason, count]) => `rejected: ${reason} ${count}`),
      hint: 'this is a bug in posthaul: please report it; nothing was finished',
    },
  )
}

function manifestOf(
  job: Pick<Job, 'rules' | 'importId' | 'after' | 'mapping'>,
  { days, names: { named, others } }: Finished,
  { counts, records, rejects, filtered, notes, inventory }: Transformed,
  { tool, source, trial, arrival, links }: MadeBy & Pick<EventsManifest, 'arrival' | 'links'>,
): EventsManifest {
  // A finished transform has nothing pending.
  const { children, events, ...of } = recordsAndEvents(counts, records)
  const { pending: _, earlier, ...made } = events
  return {
    version: 2,
    kind: 'events',
    tool,
    created_at: new Date().toISOString(),
    source: { ...source, ...zoneOf(job, notes) },
    rules: job.rules,
    import_ids: importIdsOf(job.importId, notes),
    ...(trial && { trial }),
    ...of,
    ...(children && { children }),
    events: { ...made, ...(job.after.length > 0 && { earlier }) },
    rejects,
    filtered,
    mends: mendsOf(notes),
    big_integers: notes.big_integers,
    names: ofNames(named),
    other_names: others ?? 0,
    days: Object.fromEntries(
      days
        .filter((day) => day.parts.length > 0)
        .map((day) => [dayText(day.day), day.written + day.generated]),
    ),
    ...inventoryJson(inventory),
    arrival,
    parts: days.flatMap((day) => day.parts),
    links,
  }
}

/** The zone whose clocks had some of the times twice, or skipped them. */
function zoneOf(
  { mapping: { sourceTimezone: zone } }: Pick<Job, 'mapping'>,
  { mends }: Transformed['notes'],
): { readonly source_timezone?: string } {
  const isNoted = mends.clock_twice + mends.clock_skipped > 0
  return zone !== undefined && isNoted ? { source_timezone: zone } : {}
}

/** Those of clocks only where there are some: most histories have no zone. */
function mendsOf({ mends: { clock_twice, clock_skipped, ...mends }, duplicate_keys }: Transformed['notes']) {
  return {
    ...mends,
    duplicate_keys,
    ...(clock_twice > 0 && { clock_twice }),
    ...(clock_skipped > 0 && { clock_skipped }),
  }
}

const LF = 0x0a
const COMMA = 0x2c
const START = '{"line":'

/**
 * Adds `base` to the line number of each reject of a rejects file, and leaves all other bytes as they are. A reject
 * can be as long as a line of the input, so it is never held whole.
 */
export async function* withLineBase(chunks: AsyncIterable<Buffer>, base: number): AsyncGenerator<Buffer> {
  if (base === 0) {
    yield* chunks
    return
  }
  /** The first bytes of a reject whose number has not come to its end. */
  let held: Buffer = Buffer.alloc(0)
  let inside = false
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    held = Buffer.alloc(0)
    const out: Buffer[] = []
    for (let at = 0; at < bytes.length; ) {
      if (!inside) {
        const end = bytes.indexOf(COMMA, at)
        if (end === -1) {
          held = bytes.subarray(at)
          break
        }
        const line = Number(bytes.toString('latin1', at + START.length, end)) + base
        out.push(Buffer.from(`${START}${line}`))
        at = end
      }
      const end = bytes.indexOf(LF, at)
      inside = end === -1
      const next = inside ? bytes.length : end + 1
      out.push(bytes.subarray(at, next))
      at = next
    }
    yield Buffer.concat(out)
  }
  if (held.length > 0) yield held
}

/** The rejects of a unit, whose lines are numbered within it. */
export interface UnitRejects {
  /** The number of the unit's input: units of one input follow each other. */
  readonly input: number
  readonly lines: number
  readonly chunks: AsyncIterable<Buffer>
}

/** The rejects of units in input order, their lines numbered through each input. */
export async function* numbered(
  units: Iterable<UnitRejects> | AsyncIterable<UnitRejects>,
): AsyncGenerator<Buffer> {
  let [before, last] = [0, -1]
  for await (const { input, lines, chunks } of units) {
    if (input !== last) before = 0
    last = input
    yield* withLineBase(chunks, before)
    before += lines
  }
}

/** The pieces of a transform, whose lines are in its work folder. */
interface Pieces {
  readonly units: readonly UnitResult[]
  readonly generated: readonly Generated[]
  readonly days: readonly { readonly day: number }[]
}

/** The lines that a dataset is finished with, from the work folder of a transform. */
export function keptInJournal(
  job: Job,
  journal: Journal,
  { units, generated, days }: Pieces,
): Pick<Finished, 'rejects' | 'cells' | 'links' | 'linkCount'> {
  const { folder } = journal
  return {
    rejects: () => unitRejects(job, folder, units),
    cells: () =>
      arrivalIn(
        journal,
        days.map(({ day }) => dayName(day)),
      ),
    links: () => linkLines(generated, folder),
    linkCount: sum(generated, ({ links }) => links),
  }
}

async function* linkLines(generated: readonly Generated[], work: string): AsyncGenerator<Buffer> {
  for (const { linksFile } of generated) yield* bytesOf(work, linksFile)
}

/**
 * The lines of arrival.ndjson of days, or of shares of days, one at a time from the journal: those of all would take much
 * memory. Code `unavailable` for one that the journal has lost since.
 */
export function* arrivalIn(journal: Journal, pieces: readonly string[]): Generator<ArrivalCell> {
  for (const piece of pieces) {
    const sealed = journal.result<Pick<SealedDay, 'arrival'>>(piece)
    if (!sealed) throw damaged(join(journal.folder, `${piece}.done`))
    yield* sealed.arrival
  }
}

function* unitRejects(job: Job, work: string, units: readonly UnitResult[]): Generator<UnitRejects> {
  for (const [number, { lines, rejectsFile }] of units.entries()) {
    yield { input: job.units[number]!.input, lines, chunks: bytesOf(work, rejectsFile) }
  }
}

/** Code `unavailable` at its end if it is not the file that was written: nothing is stored of it then. */
async function* bytesOf(work: string, { file, bytes, crc }: WrittenFile): AsyncGenerator<Buffer> {
  const path = join(work, file)
  let [length, found] = [0, 0]
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      length += chunk.length
      found = crc32(chunk, found)
      yield chunk
    }
  } catch (error) {
    throw errnoOf(error) === 'ENOENT' ? damaged(path) : error
  }
  if (length !== bytes || found !== crc) throw damaged(path)
}
