import { createHash } from 'node:crypto'
import { eventIn } from '../checks/event-in.ts'
import { fileInput } from '../checks/file-input.ts'
import { type EventFiles, readEvents } from '../checks/read-events.ts'
import { datasetInput, type VerifyInput } from '../checks/verify-input.ts'
import { OWN_LOG } from '../delivery/import-state.ts'
import { EventLineReader } from '../delivery/line-reader.ts'
import type { OwnSaved } from '../delivery/own-events.ts'
import { START } from '../delivery/place.ts'
import type { Io } from '../io.ts'
import { FILE_IMPORT_ID } from '../record/uuid.ts'
import type { LineLog, LogDigest } from '../state/line-log.ts'
import { openStore } from '../store/open.ts'
import { progressFor } from '../telemetry/progress.ts'
import type { EventRules } from './event-files.ts'
import { addressIn, ifThere, openState, type StatePlace } from './state-place.ts'

/** The events that an import made itself, as an input of `verify`. Undefined if there are none. */
export async function ownInput(
  kept: LineLog,
  { file }: OwnSaved,
  interrupted: AbortSignal,
): Promise<VerifyInput | undefined> {
  if (file.bytes === 0) return undefined
  const source = {
    totalBytes: file.bytes,
    bytesBefore: () => 0,
    async *pieces() {
      yield { from: START, file: undefined, chunks: kept.read(file), next: undefined }
    },
  }
  const open = async () => ({ source, reader: new EventLineReader() })
  const files: EventFiles = { open, interrupted, progress: () => undefined }
  await assertWhole(kept, file)
  const importIds = new Set<string>()
  await readEvents(files, (line) => {
    const id = eventIn(line.toString('utf8'))?.properties.$import_job_id
    if (typeof id === 'string') importIds.add(id)
  })
  const input = await fileInput({ paths: [kept.path], files, importId: '' })
  return { ...input, importIds: [...importIds].sort(), isOwn: true }
}

/** Throws `mismatch` for lines that are not those that the import wrote. It is no fault that they were moved away. */
async function assertWhole(kept: LineLog, file: LogDigest): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of kept.read(file)) {
    hash.update(chunk)
    bytes += chunk.length
  }
  if (bytes > 0 && hash.digest('hex') !== file.sha256) throw OWN_LOG.changed(kept.path)
}

/** What is compared: places of datasets, and files that were imported as they are. */
interface NamedInputs {
  readonly datasets: readonly string[]
  readonly files?: readonly string[]
  readonly rules?: EventRules
}

const BY_DEFAULT: EventRules = { switches: [], bigIntegersAsStrings: false }

/**
 * The datasets and files as inputs, and the events that their imports made themselves, whose states are at `places`. A
 * dataset that is named twice counts once, and so does a state.
 */
export async function openInputs(
  { datasets, files = [], rules = BY_DEFAULT }: NamedInputs,
  places: readonly StatePlace[],
  io: Io,
): Promise<VerifyInput[]> {
  const opened = await Promise.all(datasets.map(async (location) => datasetInput(await openStore(location))))
  const unique = opened.filter((input, n) => opened.findIndex(({ sha256 }) => sha256 === input.sha256) === n)
  const states = new Map(places.map((place) => [addressIn(place, place.checkpoint), place]))
  const own = await Promise.all([...states.values()].map((place) => openOwn(place, io)))
  const here = [...unique, ...(files.length > 0 ? [await openFiles(files, rules, io)] : []), ...own]
  return here.filter((input) => input !== undefined)
}

async function openOwn(place: StatePlace, { interrupted }: Io): Promise<VerifyInput | undefined> {
  const state = await openState(place)
  // Without a checkpoint, or with one that this user may not read, the events themselves are compared.
  const found = await ifThere(state.load())
  return found && ownInput(state.own, found.state.own, interrupted)
}

/** What the service should have of files that were imported as they are: read by the same rules, each event once. */
async function openFiles(files: readonly string[], rules: EventRules, io: Io): Promise<VerifyInput> {
  const { eventFileReader, openEventFiles } = await import('./event-files.ts')
  const source = await openEventFiles(files)
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
