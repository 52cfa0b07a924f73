import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { recordsAndEvents } from '../../record/counts.ts'
import { inventoryJson } from '../../record/inventory.ts'
import { MOST_NAMES } from '../../record/name-table.ts'
import { importIdsOf } from '../../record/notes.ts'
import { dayText } from '../../record/time.ts'
import { writeArrival } from '../../store/arrival.ts'
import { REJECTS, writeManifest } from '../../store/dataset.ts'
import type { EventsManifest } from '../../store/manifest.ts'
import { openStore } from '../../store/open.ts'
import { parsePartName } from '../../store/part-name.ts'
import type { Job, UnitResult } from '../job.ts'
import type { TransformOptions, TransformResult } from '../result.ts'
import { unitName } from '../task.ts'
import type { SealedDay } from './day.ts'

/** Writes what makes sealed days a dataset: rejects, what should arrive, and the manifest, which comes last. */
export async function finishDataset(
  job: Job,
  work: string,
  units: readonly UnitResult[],
  days: readonly (SealedDay & { readonly day: number })[],
  result: TransformResult,
  options: TransformOptions,
): Promise<void> {
  const store = await openStore(job.out)
  const parts = days.flatMap((day) => day.parts)
  if (result.counts.rejected > 0) await store.put(REJECTS, rejectLines(job, work, units))
  else await store.remove(REJECTS)
  // Removes parts of an earlier transform that this one did not write again.
  const current = new Set(parts.map((part) => part.file))
  for (const { name } of await store.list()) {
    if (parsePartName(name) && !current.has(name)) await store.remove(name)
  }
  const manifest = manifestOf(job, days, result, options)
  const header = { version: 1 as const, rules: job.rules, import_ids: manifest.import_ids }
  const arrival = await writeArrival(
    store,
    header,
    days.flatMap((day) => day.arrival),
  )
  await writeManifest(store, { ...manifest, arrival })
}

/** The rejects of all units in input order, their line numbers counted through each file. */
async function* rejectLines(job: Job, work: string, units: readonly UnitResult[]): AsyncGenerator<Buffer> {
  let before = 0
  for (const [number, unit] of units.entries()) {
    if (number > 0 && job.units[number]!.input !== job.units[number - 1]!.input) before = 0
    const path = join(work, `${unitName(number)}.rejects`)
    for await (const chunk of withLineBase(createReadStream(path, 'utf8'), before)) yield chunk
    before += unit.lines
  }
}

async function* withLineBase(text: AsyncIterable<string>, base: number): AsyncGenerator<Buffer> {
  let rest = ''
  for await (const chunk of text) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    if (lines.length > 0) yield Buffer.from(`${lines.map((line) => renumbered(line, base)).join('\n')}\n`)
  }
}

function renumbered(line: string, base: number): string {
  return base === 0
    ? line
    : line.replace(/^\{"line":(\d+)/, (_, number: string) => `{"line":${Number(number) + base}`)
}

function manifestOf(
  job: Job,
  days: readonly (SealedDay & { readonly day: number })[],
  { counts, rejects, filtered, notes, inventory }: TransformResult,
  { tool, source }: TransformOptions,
): EventsManifest {
  const { names, others } = namesOf(days)
  return {
    version: 2,
    kind: 'events',
    tool,
    created_at: new Date().toISOString(),
    source: { ...source },
    rules: job.rules,
    import_ids: importIdsOf(job.importId, notes),
    ...recordsAndEvents(counts),
    rejects,
    filtered,
    mends: { ...notes.mends, duplicate_keys: notes.duplicate_keys },
    big_integers: notes.big_integers,
    names,
    other_names: others,
    days: Object.fromEntries(days.map((day) => [dayText(day.day), day.written + day.generated])),
    ...inventoryJson(inventory),
    arrival: null,
    parts: days.flatMap((day) => day.parts),
  }
}

/** Events by name, of the first names that fit; days come in order, so a dataset made twice names the same ones. */
function namesOf(days: readonly SealedDay[]): { names: Record<string, number>; others: number } {
  const names: Record<string, number> = Object.create(null)
  let [known, others] = [0, 0]
  for (const day of days) {
    others += day.others
    for (const [name, count] of Object.entries(day.names)) {
      const before = names[name]
      if (before === undefined && known === MOST_NAMES) others += count
      else {
        if (before === undefined) known++
        names[name] = (before ?? 0) + count
      }
    }
  }
  return { names, others }
}
