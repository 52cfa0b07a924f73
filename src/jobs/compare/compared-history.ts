import type { ChartSpan, VendorNames } from '../../charts/index.ts'
import {
  ChartTables,
  type EventsPlace,
  eventNames,
  readDatasets,
  readRawRecords,
} from '../../compare/index.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { ChartedBy } from '../../sources/index.ts'
import { openStore, readEventsManifest } from '../../store/index.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { openOwnFiles } from '../verify/verify-inputs.ts'
import type { CompareOrder } from './order.ts'
import { type RawRecords, rawRecords, renamedEvents } from './raw-records.ts'
import { vendorNames } from './vendor-names.ts'

/** The datasets that are compared, before anything of them is read but their manifests. */
export interface ComparedHistory {
  readonly places: readonly EventsPlace[]
  /** The UTC days of the first and the last event. */
  readonly span: ChartSpan
  /** Events by name. */
  readonly names: Readonly<Record<string, number>>
  /** What the raw records are read with; undefined where they are not. */
  readonly raw: RawRecords | undefined
  readonly notes: readonly string[]
}

/** Opens the datasets, and the raw records that they were made of, where a vendor is asked who counted these. */
export async function openHistory(
  { datasets, mapping, inputs }: CompareOrder,
  charted: ChartedBy | undefined,
  io: Io,
): Promise<ComparedHistory> {
  const places = await Promise.all(
    datasets.map(async (location) => {
      const store = await openStore(location)
      return { store, manifest: await readEventsManifest(store) }
    }),
  )
  const days = places.flatMap(({ manifest }) => Object.keys(manifest.days)).sort()
  const [first, last] = [days[0], days.at(-1)]
  if (first === undefined || last === undefined)
    throw new PosthaulError('there are no events in it to compare', { code: 'input' })
  const names: Record<string, number> = Object.create(null)
  for (const { manifest } of places)
    for (const [name, count] of Object.entries(manifest.names)) names[name] = (names[name] ?? 0) + count
  const made = places.map(({ store, manifest }) => ({ location: store.location, manifest }))
  const found = charted && (await rawRecords(made, { mapping, inputs }, io))
  const raw = found && 'engine' in found ? found : undefined
  const notes = found && 'unread' in found ? [found.unread] : []
  return { places, span: { first, last }, names, raw, notes }
}

/** What the vendor calls events and properties, as far as it is known before the raw records are read. */
export async function namesBefore(
  { places }: Pick<ComparedHistory, 'places'>,
  mapping: string | undefined,
): Promise<VendorNames> {
  const manifests = places.map(({ manifest }) => manifest)
  return vendorNames(manifests, undefined, await renamedEvents(mapping))
}

/** The tables of a comparison, filled, and what the vendor calls what is in them. */
export interface ReadHistory {
  readonly tables: ChartTables
  readonly names: VendorNames
}

interface HistoryReading {
  readonly properties: readonly string[]
  readonly charted: ChartedBy | undefined
  readonly folder: string
  readonly order: CompareOrder
}

/** Reads datasets and raw records into the tables of a folder. The tables are to be closed. */
export async function readHistory(
  history: ComparedHistory,
  { properties, charted, folder, order }: HistoryReading,
  io: Io,
): Promise<ReadHistory> {
  const { places, raw } = history
  const { interrupted: signal, telemetry } = io
  const tables = await ChartTables.open(folder)
  const progress = progressFor(telemetry)
  try {
    progress.start('reading', 0)
    await readDatasets(tables, places, { properties, signal, own: await openOwnFiles(order.place, io) })
    if (!raw || !charted) return { tables, names: await namesBefore(history, order.mapping) }
    const { engine, job } = raw
    const { columns, withTable } = job
    await readRawRecords(tables, {
      engine,
      inputs: job.inputs,
      loop: { columns, withTable, stop: signal },
      by: charted,
      names: await namesBefore(history, undefined),
      properties,
    })
    const manifests = places.map(({ manifest }) => manifest)
    return { tables, names: vendorNames(manifests, await eventNames(tables), new Map()) }
  } catch (error) {
    await tables.close()
    throw error
  } finally {
    progress.stop()
  }
}
