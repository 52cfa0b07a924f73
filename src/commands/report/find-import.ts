import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { ImportState } from '../../delivery/import-state.ts'
import { PosthaulError } from '../../errors.ts'
import { pendingOf, shareOf } from '../../imports/standing.ts'
import { openState, type StateOptions, type StatePlace, statePlace } from '../../imports/state-place.ts'
import { standingAt } from '../../imports/undo-standing.ts'
import { isAtWork, requestWords, undoneWords } from '../../imports/undo-words.ts'
import { lastVerified, type Verified } from '../../imports/verified.ts'
import type { Io } from '../../io.ts'
import { isS3, parseS3, s3Address } from '../../store/s3-location.ts'
import type { ImportPart } from './report-data.ts'

/** What lies at the state of a dataset's import. */
export interface FoundImport {
  readonly place: StatePlace
  readonly files?: ImportState
  readonly part?: ImportPart
  readonly verified?: Verified | undefined
}

/**
 * Looks for the state of an import: where the options say, beside the input, or where `posthaul run` keeps it. What is
 * there and can't be read is told to `missing`.
 */
export async function findImport(options: StateOptions, io: Io, missing: string[]): Promise<FoundImport> {
  const places = [statePlace(options, io.env), ...ofRun(options, io)]
  for (const place of places) {
    const found = await lookAt(place, missing)
    if (found.part || found.verified) return found
  }
  return { place: places[0]! }
}

/** What lies at one place. */
async function lookAt(place: StatePlace, missing: string[]): Promise<FoundImport> {
  try {
    const files = await openState(place)
    const loaded = await files.load()
    const verified = await lastVerified(place)
    if (!loaded) return { place, verified }
    if (loaded.fellBack) missing.push(`${files.checkpointPath} is damaged: what was saved before it is shown`)
    return { place, files, part: await importPart(place, loaded.state), verified }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`the state of the import could not be read: ${error.message}`)
    return { place }
  }
}

async function importPart(place: StatePlace, state: CheckpointState): Promise<ImportPart> {
  const undo = await standingAt(place, state)
  const words = undo && `${requestWords(undo.request)}.`
  return {
    state,
    standing: undo ? undoneWords(undo.request) : state.done ? 'done' : 'unfinished',
    ...(undo && { undo: isAtWork(undo) ? `${words} How far that is says ${undo.follow}` : words! }),
    pending: pendingOf(state),
    share: shareOf(state),
  }
}

/** `run` keeps datasets in `<store>/events/` and the state of their imports in `<store>/state`. */
function ofRun({ input, checkpoint, state }: StateOptions, { env }: Io): StatePlace[] {
  if (checkpoint !== undefined || state !== undefined) return []
  if (!isS3(input)) {
    const home = join(dirname(dirname(resolve(input))), 'state')
    return existsSync(home) ? [statePlace({ input, state: home }, env)] : []
  }
  const own = parseS3(input)
  const above = own.prefix.split('/').slice(0, -2)
  if (own.prefix.split('/').length < 2) return []
  const home = s3Address({ ...own, prefix: above.join('/') }, 'state')
  return [statePlace({ input, state: home }, env)]
}
