import type { InputSource } from '../delivery/intake.ts'
import { EventLineReader, type LineReader } from '../delivery/line-reader.ts'
import { draftOf, previousOf } from '../state/cell.ts'
import { openStore } from '../store/open.ts'
import type { ImportOrder, SourceOrder } from './import-order.ts'
import { addressIn } from './state-place.ts'

/** What is imported, and where its state is: a file of it is not the state's. */
type InputOrder = Pick<ImportOrder, 'source' | 'place'>

/** Opens what is imported. */
export async function openSource({ source, place }: InputOrder): Promise<InputSource> {
  const { input } = source
  const { at, checkpointPath, rejectsPath } = place
  if (input.kind === 'dataset') {
    const { DatasetSource } = await import('../delivery/dataset-source.ts')
    return DatasetSource.open(await openStore(input.path))
  }
  const { openEventFiles } = await import('./event-files.ts')
  const [previous, draft] = [previousOf(checkpointPath), draftOf(checkpointPath)]
  const state = [checkpointPath, previous, draft, rejectsPath, addressIn(at, at.own)]
  return openEventFiles(input.files, state)
}

/** The files in the dataset that its manifest doesn't name, a sentence each. */
export async function unnamedFiles({ input }: SourceOrder): Promise<readonly string[]> {
  if (input.kind !== 'dataset') return []
  const { lookAtParts, readEventsManifest } = await import('../store/dataset.ts')
  const store = await openStore(input.path)
  return (await lookAtParts(store, await readEventsManifest(store))).unnamed
}

/** Opens what is imported for one more reading of all of it. */
export async function reopen(
  order: InputOrder,
): Promise<{ readonly source: InputSource; readonly reader: LineReader }> {
  return { source: await openSource(order), reader: await readerOf(order.source) }
}

/** Reads the lines of files by the rules of transform, with the preset for the service's own form. */
export async function readerOf(order: SourceOrder): Promise<LineReader> {
  const { input, bigIntegersAsStrings, switches } = order
  if (input.kind === 'dataset') return new EventLineReader()
  // Loaded only for files: a dataset's lines are events already.
  const { eventFileReader } = await import('./event-files.ts')
  return eventFileReader({ bigIntegersAsStrings, switches })
}
