import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import type { NameTable } from '../../record/name-table.ts'
import { importIdsOf } from '../../record/notes.ts'
import { dayText } from '../../record/time.ts'
import { type ArrivalCell, writeArrival } from '../../store/arrival.ts'
import { writeManifest } from '../../store/dataset.ts'
import { errnoOf } from '../../store/file-error.ts'
import { writeLinks } from '../../store/links.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { REJECTS } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import { parsePartName } from '../../store/part-name.ts'
import type { Generated } from '../generate.ts'
import type { Job, UnitResult } from '../job.ts'
import type { Journal } from '../journal.ts'
import type { TransformOptions, TransformResult } from '../result.ts'
import { dayName } from '../task.ts'
import { damaged, type WrittenFile } from '../work-file.ts'
import type { SealedDay } from './day.ts'
import { withLineBase } from './line-base.ts'

/** What a dataset is made of. */
export interface Finished {
  readonly units: readonly UnitResult[]
  readonly generated: readonly Generated[]
  /** All sealed days in order, without their names and cells. */
  readonly days: readonly (SealedDay & { readonly day: number })[]
  /** The names of all of them together. */
  readonly names: NamedCounts
}

type NamedCounts = ReturnType<NameTable<number>['take']>

/** Writes what makes sealed days a dataset: rejects, what should arrive, and the manifest, which comes last. */
export async function finishDataset(
  job: Job,
  journal: Journal,
  finished: Finished,
  result: TransformResult,
  options: TransformOptions,
): Promise<void> {
  const store = await openStore(job.out)
  const { days, units, generated } = finished
  const parts = days.flatMap((day) => day.parts)
  if (result.counts.rejected > 0) await store.put(REJECTS, rejectLines(job, journal.folder, units))
  else await store.remove(REJECTS)
  // Removes parts of an earlier transform that this one did not write again.
  const current = new Set(parts.map((part) => part.file))
  for (const { name } of await store.list()) {
    if (parsePartName(name) && !current.has(name)) await store.remove(name)
  }
  const manifest = manifestOf(job, finished, result, options)
  const header = { version: 1 as const, rules: job.rules, import_ids: manifest.import_ids }
  const arrival = await writeArrival(store, header, cellsOf(days, journal))
  const count = generated.reduce((sum, { links }) => sum + links, 0)
  const links = await writeLinks(store, linkLines(generated, journal.folder), count)
  await writeManifest(store, { ...manifest, arrival, links })
}

async function* linkLines(generated: readonly Generated[], work: string): AsyncGenerator<Buffer> {
  for (const { linksFile } of generated) yield* bytesOf(work, linksFile)
}

/**
 * The lines of arrival.ndjson, a day at a time from the journal: those of all days would take much memory. Code
 * `unavailable` for a day that the journal has lost since.
 */
function* cellsOf(days: Finished['days'], journal: Journal): Generator<ArrivalCell> {
  for (const { day } of days) {
    const sealed = journal.result<SealedDay>(dayName(day))
    if (!sealed) throw damaged(join(journal.folder, `${dayName(day)}.done`))
    yield* sealed.arrival
  }
}

/** The rejects of all units in input order, their line numbers counted through each file. */
async function* rejectLines(job: Job, work: string, units: readonly UnitResult[]): AsyncGenerator<Buffer> {
  let before = 0
  for (const [number, unit] of units.entries()) {
    if (number > 0 && job.units[number]!.input !== job.units[number - 1]!.input) before = 0
    for await (const chunk of withLineBase(bytesOf(work, unit.rejectsFile), before)) yield chunk
    before += unit.lines
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

function manifestOf(
  job: Job,
  { days, names: { named, others } }: Finished,
  { counts, records, rejects, filtered, notes, inventory }: TransformResult,
  { tool, source }: TransformOptions,
): EventsManifest {
  // A finished transform has nothing pending.
  const { children, events, ...of } = recordsAndEvents(counts, records)
  const { pending: _, earlier, ...made } = events
  return {
    version: 2,
    kind: 'events',
    tool,
    created_at: new Date().toISOString(),
    source: { ...source },
    rules: job.rules,
    import_ids: importIdsOf(job.importId, notes),
    ...of,
    ...(children && { children }),
    events: { ...made, ...(job.after.length > 0 && { earlier }) },
    rejects,
    filtered,
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: notes.big_integers,
    names: byName(named),
    other_names: others ?? 0,
    days: Object.fromEntries(
      days
        .filter((day) => day.parts.length > 0)
        .map((day) => [dayText(day.day), day.written + day.generated]),
    ),
    ...inventoryJson(inventory),
    arrival: null,
    parts: days.flatMap((day) => day.parts),
  }
}

/** As an object: `__proto__` may be a name. */
function byName(named: NamedCounts['named']): Record<string, number> {
  const names: Record<string, number> = Object.create(null)
  for (const [name, events] of named) names[name] = events
  return names
}
