import { fileInput } from '../audit/file-input.ts'
import { ownInput } from '../audit/own-input.ts'
import { datasetInput, type VerifyInput } from '../audit/verify-input.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { GROUP_EVENT } from '../record/group-event.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'
import { progressFor } from '../report/progress.ts'
import { openStore } from '../store/open.ts'
import { openState, type StatePlace } from './state-place.ts'

/** The options with which files were imported, as far as they change events. */
export interface FileRules {
  readonly switches: readonly string[]
  readonly bigIntegersAsStrings: boolean
}

/**
 * The datasets and files as inputs, and the events that their import made itself, whose state is at `place`. A dataset
 * that is named twice counts once.
 */
export async function openInputs(
  datasets: readonly string[],
  files: readonly string[],
  rules: FileRules,
  place: StatePlace,
  io: Io,
): Promise<VerifyInput[]> {
  const opened = await Promise.all(datasets.map(async (location) => datasetInput(await openStore(location))))
  const unique = opened.filter((input, n) => opened.findIndex(({ sha256 }) => sha256 === input.sha256) === n)
  const own = await openOwn(place, io)
  return [...unique, ...(files.length > 0 ? [await openFiles(files, rules, io)] : []), ...(own ? [own] : [])]
}

async function openOwn(place: StatePlace, { interrupted }: Io): Promise<VerifyInput | undefined> {
  const state = await openState(place)
  const loaded = await state.load().catch((error: unknown) => {
    // No checkpoint is there, or in a bucket that this user may only read in part: the events themselves are compared.
    if (error instanceof PosthaulError && (error.code === 'usage' || error.code === 'auth')) return undefined
    throw error
  })
  return loaded && ownInput(state.own, loaded.state.own, interrupted)
}

/** What the service should have of files that were imported as they are: read by the same rules, each event once. */
async function openFiles(files: readonly string[], given: FileRules, io: Io): Promise<VerifyInput> {
  const { eventFileReader, openEventFiles } = await import('./event-files.ts')
  const source = await openEventFiles(files)
  const rules = { groupEventName: GROUP_EVENT, ...given }
  const progress = progressFor(io.telemetry)
  progress.start('read', source.totalBytes)
  const open = async () => ({ source, reader: eventFileReader(rules) })
  const { interrupted } = io
  return fileInput({
    paths: files,
    files: { open, interrupted, progress: progress.add },
    importId: FILE_IMPORT_ID,
  }).finally(progress.stop)
}
