import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Verified } from '../../checks/index.ts'
import { allPace, type CheckpointState, type ImportState, type PaceLine } from '../../delivery/index.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { isS3, parseS3, withEndpoint } from '../../store/index.ts'
import { openState, paceFile, type StateOptions, type StatePlace, statePlace } from '../import/state-place.ts'
import { standingAt } from '../undo/undo-standing.ts'
import type { UndoSeen } from '../undo/undo-words.ts'
import { lastVerified } from '../verify/verified-file.ts'

/** An import whose checkpoint was found. */
export interface FoundImport {
  readonly place: StatePlace
  readonly files: ImportState
  readonly state: CheckpointState
  readonly pace: readonly PaceLine[]
  readonly undo: UndoSeen | undefined
}

/** What lies at the state of a dataset's import. */
export interface ImportSight {
  readonly place: StatePlace
  readonly run: FoundImport | undefined
  readonly verified: Verified | undefined
}

/**
 * Looks for the state of an import: where the options say, beside the input, or where `posthaul run` keeps it. What is
 * there and can't be read is told to `missing`.
 */
export async function findImport(options: StateOptions, io: Io, missing: string[]): Promise<ImportSight> {
  const places = [statePlace(options, io.env), ...ofRun(options, io)]
  for (const place of places) {
    const found = await lookAt(place, missing)
    if (found.run || found.verified) return found
  }
  return { place: places[0]!, run: undefined, verified: undefined }
}

/** What lies at one place. */
export async function lookAt(place: StatePlace, missing: string[]): Promise<ImportSight> {
  try {
    const files = await openState(place)
    const loaded = await files.load()
    const verified = await lastVerified(place)
    if (!loaded) return { place, run: undefined, verified }
    const pace = await allPace(await paceFile(place))
    if (loaded.fellBack) missing.push(`${files.checkpointPath} is damaged: what was saved before it is shown`)
    const { state } = loaded
    const undo = await standingAt(place, state)
    return { place, run: { place, files, state, pace, undo }, verified }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    missing.push(`the state of the import could not be read: ${error.message}`)
    return { place, run: undefined, verified: undefined }
  }
}

/** `run` keeps datasets in `<store>/events/` and the state of their imports in `<store>/state`. */
function ofRun({ input, checkpoint, state, endpoint }: StateOptions, { env }: Io): StatePlace[] {
  if (checkpoint !== undefined || state !== undefined) return []
  if (!isS3(input)) {
    const home = join(dirname(dirname(resolve(input))), 'state')
    return existsSync(home) ? [statePlace({ input, state: home, endpoint }, env)] : []
  }
  const own = parseS3(withEndpoint(input, endpoint))
  const above = own.prefix.split('/').slice(0, -2)
  if (own.prefix.split('/').length < 2) return []
  const home = withEndpoint(`s3://${[own.bucket, ...above, 'state'].join('/')}`, own.endpoint)
  return [statePlace({ input, state: home, endpoint }, env)]
}
