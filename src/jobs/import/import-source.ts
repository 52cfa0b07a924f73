import { draftOf, previousOf } from '../../delivery/checkpoint-files.ts'
import type { InputSource } from '../../delivery/event-source.ts'
import { EventLineReader, type LineReader } from '../../delivery/line-reader.ts'
import { openStore } from '../../store/open.ts'
import type { ImportSettings } from './import-settings.ts'
import { addressIn } from './state-place.ts'

/** Opens what is imported. */
export async function openSource(settings: ImportSettings): Promise<InputSource> {
  const { input, checkpointPath, rejectsPath, place } = settings
  if (input.kind === 'dataset') {
    const { DatasetSource } = await import('../../delivery/dataset-source.ts')
    return DatasetSource.open(await openStore(input.path))
  }
  const { openEventFiles } = await import('./event-files.ts')
  const [previous, draft] = [previousOf(checkpointPath), draftOf(checkpointPath)]
  const beside = [place.own, place.pace].map((name) => addressIn(place, name))
  const state = [checkpointPath, previous, draft, rejectsPath, ...beside]
  return openEventFiles(input.files, state)
}

/** The files in the dataset that its manifest doesn't name, a sentence each. */
export async function unnamedFiles({ input }: ImportSettings): Promise<readonly string[]> {
  if (input.kind !== 'dataset') return []
  const { lookAtParts, readEventsManifest } = await import('../../store/dataset.ts')
  const store = await openStore(input.path)
  return (await lookAtParts(store, await readEventsManifest(store))).unnamed
}

/** Opens what is imported for one more reading of all of it. */
export async function reopen(
  settings: ImportSettings,
): Promise<{ readonly source: InputSource; readonly reader: LineReader }> {
  return { source: await openSource(settings), reader: await readerOf(settings) }
}

/** Reads the lines of files by the rules of transform, with the preset for the service's own form. */
export async function readerOf(settings: ImportSettings): Promise<LineReader> {
  const { input, groupEventName, bigIntegersAsStrings } = settings
  if (input.kind === 'dataset') return new EventLineReader(groupEventName)
  // Loaded only for files: a dataset's lines are events already.
  const { eventFileReader } = await import('./event-files.ts')
  return eventFileReader({ groupEventName, bigIntegersAsStrings, switches: settings.switches })
}
