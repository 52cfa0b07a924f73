import {
  cutExample,
  type FirstReject,
  type Inspected,
  type InspectFrom,
  inspect,
} from '../../checks/index.ts'
import { DatasetSource, FileLineReader } from '../../delivery/index.ts'
import { FILE_IMPORT_ID, importIdsOf, inventoryJson, LineFramer, parseReject } from '../../record/index.ts'
import { lookAtParts, openStore, REJECTS, readEventsManifest, type Store } from '../../store/index.ts'
import type { progressFor } from '../../telemetry/progress.ts'
import type { EventRules } from '../import/event-files.ts'
import { survey } from './survey.ts'

/** How the input is read. */
export interface CheckPass {
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
  const again = () => progress.start('check', source.totalBytes)
  again()
  const inspection = await inspect(
    source,
    {
      ...from,
      again,
      readsAll: manifest.version_1 !== undefined || manifest.other_properties > 0,
      holdsBig: Object.keys(manifest.big_integers).length > 0,
    },
    interrupted,
    progress.add,
  )
  const about = `made by ${manifest.tool} on ${manifest.created_at.slice(0, 10)}; its parts are complete`
  // A manifest of version 1 knows nothing of members.
  const stock = manifest.version_1 ? undefined : manifest
  const rejected = manifest.records.rejected + manifest.events.rejected
  const reject = rejected > 0 ? await firstReject(store) : undefined
  const { import_ids: importIds } = manifest
  const { unnamed } = await lookAtParts(store, manifest)
  const words = ['--dataset', name]
  const dataset = { store, manifest }
  return { name, about, subject: manifest, inspection, stock, reject, unnamed, importIds, dataset, words }
}

/** Reads files of events as import reads them. */
export async function inspectFiles(
  files: readonly string[],
  rules: EventRules,
  { from, interrupted, progress }: CheckPass,
): Promise<Inspected> {
  const { eventFileMapper, openEventFiles } = await import('../import/event-files.ts')
  const source = await openEventFiles(files)
  const again = () => progress.start('check', source.totalBytes)
  again()
  const mapper = eventFileMapper(rules)
  let opened = 0
  const open = async () => {
    // What a second reading maps is not counted again.
    const reads = opened++ === 0 ? mapper : eventFileMapper(rules)
    return { source, reader: new FileLineReader(reads) }
  }
  const found = await survey({ open, interrupted, progress: progress.add }, { ...from, again })
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

function rejectText({ line, file, reason, message }: FirstReject): string {
  return cutExample(`line ${line}${file === undefined ? '' : ` of ${file}`}: ${reason}: ${message}`)
}
