import type { Inspected, MigrationSubject } from '../../checks/check-data.ts'
import { type InspectFrom, inspect, inspector } from '../../checks/inspect.ts'
import { type EventFiles, readEvents, rejectText } from '../../checks/read-events.ts'
import { DatasetSource } from '../../delivery/dataset-source.ts'
import { FileLineReader } from '../../delivery/line-reader.ts'
import type { EventRules } from '../../imports/event-files.ts'
import type { LossesOfFiles } from '../../imports/losses.ts'
import { headName } from '../../record/head.ts'
import { inventoryJson } from '../../record/inventory.ts'
import { LineFramer } from '../../record/lines.ts'
import { importIdsOf, NameTable } from '../../record/notes.ts'
import { parseReject } from '../../record/reject.ts'
import { dayOf, dayText } from '../../record/time.ts'
import { FILE_IMPORT_ID } from '../../record/uuid.ts'
import { lookAtParts, readEventsManifest } from '../../store/dataset.ts'
import { REJECTS } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import type { Store } from '../../store/store.ts'
import type { progressFor } from '../../telemetry/progress.ts'

/** How the input is read. */
interface CheckPass {
  readonly from: InspectFrom
  readonly interrupted: AbortSignal
  readonly progress: ReturnType<typeof progressFor>
}

/** Reads a dataset. `name`: as it was typed. `place`: the same with its endpoint. */
export async function inspectDataset(
  name: string,
  place: string,
  { from, interrupted, progress }: CheckPass,
): Promise<Inspected> {
  const store = await openStore(place)
  const manifest = await readEventsManifest(store)
  const source = await DatasetSource.open(store)
  progress.start('check', source.totalBytes)
  const inspection = await inspect(
    source,
    {
      ...from,
      readsAll: manifest.other_properties > 0,
    },
    interrupted,
    progress.add,
  )
  const rejected = manifest.records.rejected + manifest.events.rejected
  return {
    name,
    about: `made by ${manifest.tool} on ${manifest.created_at.slice(0, 10)}; its parts are complete`,
    subject: manifest,
    inspection,
    stock: manifest,
    reject: rejected > 0 ? await firstReject(store) : undefined,
    unnamed: (await lookAtParts(store, manifest)).unnamed,
    importIds: manifest.import_ids,
    dataset: { store, manifest },
    words: ['--dataset', name],
  }
}

/** Reads files of events as import reads them. `lost` is shown each event. */
export async function inspectFiles(
  files: readonly string[],
  rules: EventRules,
  { from, interrupted, progress }: CheckPass,
  lost?: LossesOfFiles,
): Promise<Inspected> {
  const { eventFileMapper, openEventFiles } = await import('../../imports/event-files.ts')
  const source = await openEventFiles(files)
  progress.start('check', source.totalBytes)
  const mapper = eventFileMapper(rules)
  const open = async () => ({ source, reader: new FileLineReader(mapper) })
  const found = await survey({ open, interrupted, progress: progress.add }, from, lost)
  const { properties } = inventoryJson(mapper.takeInventory())
  const name = files.length === 1 ? files[0]! : source.name
  const { switches } = rules
  return {
    name,
    about: 'read as import reads it',
    subject: { ...found.subject, properties },
    inspection: found.inspection,
    stock: undefined,
    reject: found.reject && rejectText(found.reject),
    unnamed: [],
    importIds: importIdsOf(FILE_IMPORT_ID, found.notes),
    words: ['--file', ...files, ...(switches.length > 0 ? ['--with', ...switches] : [])],
  }
}

/** The first reject of a dataset; undefined for one whose rejects were moved away. */
async function firstReject(store: Store): Promise<string | undefined> {
  let found: string | undefined
  const framer = new LineFramer({
    line(bytes, start, end) {
      const reject = found === undefined ? parseReject(bytes, start, end) : undefined
      if (reject) found = rejectText(reject)
    },
    tooLong() {},
  })
  try {
    for await (const chunk of store.read(REJECTS)) {
      framer.push(chunk)
      if (found !== undefined) return found
    }
    framer.end()
  } catch {
    // The manifest names no rejects: the dataset is whole without them.
  }
  return found
}

/**
 * Reads files of the service's own events as an import would, and counts what would be sent. An event that is in the
 * files twice is sent twice, so it counts twice.
 */
export async function survey(files: EventFiles, from: InspectFrom, lost?: LossesOfFiles) {
  const byDay = new Map<number, number>()
  const byName = new NameTable<number>((a, b) => a + b)
  const inspected = inspector(from)
  const { parts, counts, notes, rejects, reject } = await readEvents(files, (line, head, _, place) => {
    const day = dayOf(head.instant)
    byDay.set(day, (byDay.get(day) ?? 0) + 1)
    byName.add(headName(line, head), 1)
    lost?.look(line, head)
    inspected.look(line, head, place)
  })
  const names: Record<string, number> = Object.create(null)
  const { named, others = 0 } = byName.take()
  for (const [name, events] of named) names[name] = events
  const days = [...byDay].sort(([a], [b]) => a - b).map(([day, events]) => [dayText(day), events])
  const subject: MigrationSubject = {
    parts,
    ...{ days: Object.fromEntries(days), names, other_names: others },
    records: { rejected: counts.rejected },
    rejects,
    big_integers: notes.big_integers,
    mends: { ...notes.mends },
    source: { preset: 'posthog' },
  }
  return { subject, inspection: inspected.total(), reject, notes }
}
