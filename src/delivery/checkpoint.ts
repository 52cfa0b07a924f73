/*
 * The checkpoint: what the service has acknowledged of one input.
 *
 * WHAT IT PROVES. For each lane, a place in the input: every line before it that belongs to the lane was either
 * acknowledged by the service (a 2xx whose body says so) or is in the rejects file. Counts and the length of the
 * rejects file belong to exactly these places, because all of them are taken at one instant between two events of
 * the event loop. It does not grow with the input. Lines beyond the places may have reached the service as well;
 * they go out again with the same uuid, event, distinct_id and timestamp, and merge there.
 *
 * HOW IT IS WRITTEN. Rejects are appended and fsynced first. Then the new state goes to `F.tmp`, fsync; `F` is
 * renamed to `F.previous`; `F.tmp` to `F`; the folder is fsynced. One process at a time writes, by the lock. `F.tmp` is
 * always made anew: what has that name before, a link of somebody else too, is removed, and never written to.
 *
 * IF THE PROCESS OR THE MACHINE DIES …
 *   before or while rejects are appended   F is the old state; rejects beyond its length are cut off on the next run
 *                                          and written again when their lines are read again: none lost, none twice
 *   while F.tmp is written                 F is the old state; F.tmp is replaced, never read
 *   between the two renames                F is missing, F.previous is whole: it is the old state, and is used
 *   after the renames, before the fsync    either generation can be there after a power cut; both are true
 *   after a request, before the save       the service has events that the checkpoint does not know: sent again, merged
 *   while a batch is being bisected        the whole batch is sent again; its rejects are found again
 *   while refusals are in doubt            the places are still before their batches, which are sent again
 *   and F reads damaged (a bad disk)       the checksum tells; F.previous is used and the run says so
 *   after --restart, before the first save the old state is still there: nothing is forgotten before there is a new one
 *
 * WHAT IT REFUSES (exit 6, nothing sent, nothing changed).
 *   - an input whose head, or whose consumed bytes, are not those it was made from; a file that only grew is accepted
 *   - a place that is no beginning of a line in that input: beyond its end, inside a line, of another number
 *   - events that other rules made than those that were sent: they would be others; --rules-changed goes on
 *   - another host, another project key, another group event name: what was delivered is elsewhere, or has another name
 *   - another number of lanes while the lanes are at different places
 *   - a rejects file that is not the one it wrote
 *   - two damaged generations, or a version it does not know. It never starts over by itself: only --restart does, and
 *     over these only with --force
 *   - a file that is no checkpoint (a part, a table, other JSON), whatever options are given: it is somebody's data
 *
 * IN A BUCKET (bucket-state.ts) the checkpoint is one object, and the rejects are some (append-pieces.ts). A put is whole
 * or nothing, and durable when it is answered, so there is no draft and no generation before. The order is the same:
 * rejects first. A put names the version it replaces: a run that has lost its lease fails instead of going back in time.
 *
 * WHAT IT DOES NOT HOLD. Keys: only a fingerprint. Events: only places, counts, and the names and uuids of a few that
 * are looked for in the project.
 */
import { createHash } from 'node:crypto'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { PosthaulError } from '../errors.ts'
import { RESEND_MERGES } from '../record/merging.ts'
import { syncFolder } from '../store/atomic-file.ts'
import { errnoOf, fileError } from '../store/file-error.ts'
import { FILE_MODE } from '../store/file-mode.ts'
import { readWhole } from '../store/read-whole.ts'
import { draftOf, OPENING, OPENING_BYTES, previousOf } from './checkpoint-files.ts'
import { type CheckpointState, stateSchema } from './checkpoint-shape.ts'

export type { CheckpointState } from './checkpoint-shape.ts'

const AS_WRITTEN = Buffer.from('{\n "version": 1,\n "tool": "posthaul ')

/** A checkpoint as it was loaded. */
export interface LoadedCheckpoint {
  readonly state: CheckpointState
  /** The newest generation was damaged, and this is the one before it. */
  readonly fellBack: boolean
}

/** What a file in the place of a checkpoint is. */
export type Reading =
  | { readonly kind: 'whole'; readonly state: CheckpointState }
  | { readonly kind: 'damaged' }
  /** Whole, and of a version that this posthaul does not know. `tool` wrote it. */
  | { readonly kind: 'unknown'; readonly tool: string }
  /** No checkpoint at all. */
  | { readonly kind: 'foreign' }

/** Loads the newest whole generation; undefined if there is none. Throws `mismatch` or `usage` as `unreadable` does. */
export async function loadCheckpoint(path: string): Promise<LoadedCheckpoint | undefined> {
  const newest = await readGeneration(path)
  if (newest?.kind === 'whole') return { state: newest.state, fellBack: false }
  // Neither is gone back from: a later version knew more, and a file that is no checkpoint is somebody's.
  if (newest?.kind === 'unknown' || newest?.kind === 'foreign') throw unreadable(path, newest)
  const previous = await readGeneration(previousOf(path))
  if (previous?.kind === 'whole') return { state: previous.state, fellBack: newest !== undefined }
  if (previous?.kind === 'unknown') throw unreadable(previousOf(path), previous)
  if (!newest && !previous) return undefined
  throw unreadable(path, { kind: 'damaged' }, previous && 'and so is the generation before it')
}

/** Why a checkpoint cannot be used. Code `usage` for a file that isn't a checkpoint: no option writes over it. */
export function unreadable(
  path: string,
  reading: Exclude<Reading, { kind: 'whole' }>,
  also?: string,
): PosthaulError {
  if (reading.kind === 'foreign') {
    return new PosthaulError(`${path} is not a checkpoint, and would be written over`, {
      code: 'usage',
      hint: 'name another file with --checkpoint, such as state.checkpoint.json; it need not exist',
    })
  }
  const anew = `start over with --restart --force; of an unchanged input ${RESEND_MERGES}`
  if (reading.kind === 'unknown') {
    return new PosthaulError(`${path} was written by ${reading.tool}`, {
      code: 'mismatch',
      hint: `go on with that version, or ${anew}`,
    })
  }
  return new PosthaulError(`${path} is damaged${also === undefined ? '' : `, ${also}`}`, {
    code: 'mismatch',
    hint: `restore it from a backup, or ${anew}`,
  })
}

/** Makes `state` the newest generation, durably. */
export async function saveCheckpoint(path: string, state: CheckpointState): Promise<void> {
  const draft = draftOf(path)
  try {
    await unlink(draft).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error
    })
    const file = await open(draft, 'wx', FILE_MODE)
    try {
      await file.writeFile(encodeCheckpoint(state))
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(path, previousOf(path)).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error
    })
    await rename(draft, path)
    // The folder too: after a power cut the renames themselves can be missing.
    await syncFolder(dirname(path))
  } catch (error) {
    throw fileError(error, 'write', path)
  }
}

/** All events that the service has taken from an import, its own ones among them. */
export function takenFrom({ counts, own }: CheckpointState): number {
  return counts.delivered + own.events
}

/** Those of them that the project still has. */
export function stillThere(state: CheckpointState): number {
  return state.undone ? 0 : takenFrom(state)
}

/** The id of an import in the ledger. */
export function idOf({ id, started_at }: Pick<CheckpointState, 'id' | 'started_at'>): string {
  return id ?? started_at
}

/** The bytes of a checkpoint, with their checksum. */
export function encodeCheckpoint(state: CheckpointState): string {
  return `${JSON.stringify({ ...state, checksum: checksumOf(state) }, undefined, 1)}\n`
}

/** Tells what the bytes in the place of a checkpoint are. */
export function readCheckpoint(bytes: Buffer): Reading {
  let value: Record<string, unknown>
  try {
    const { checksum, ...rest } = JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
    if (checksum !== checksumOf(rest)) return unlike(bytes)
    value = rest
  } catch {
    return unlike(bytes)
  }
  const state = stateSchema.safeParse(value)
  if (state.success) return { kind: 'whole', state: state.data }
  const { tool } = value
  return { kind: 'unknown', tool: typeof tool === 'string' ? tool : 'another program' }
}

/** A disk that failed leaves less of it, zeros, or a wrong bit here and there; other bytes are somebody's data. */
function unlike(bytes: Buffer): Reading {
  const head = bytes.subarray(0, AS_WRITTEN.length)
  const wrong = head.filter((byte, at) => byte !== AS_WRITTEN[at]).length
  const isOurs =
    OPENING.test(bytes.toString('latin1', 0, OPENING_BYTES)) ||
    wrong * 8 <= head.length ||
    bytes.every((byte) => byte === 0)
  return { kind: isOurs ? 'damaged' : 'foreign' }
}

// The hash is of the compact form: JSON.stringify writes parsed JSON in the order and spelling it was read.
function checksumOf(state: unknown): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex')
}

async function readGeneration(path: string): Promise<Reading | undefined> {
  try {
    return readCheckpoint(await readWhole(path))
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw fileError(error, 'read', path)
  }
}
