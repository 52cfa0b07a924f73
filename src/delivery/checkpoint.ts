/*
 * The checkpoint: what the service has acknowledged of one input.
 *
 * WHAT IT PROVES. For each lane, a place in the input: every line before it that belongs to the lane was either
 * acknowledged by the service (a 2xx whose body says so) or is in the rejects file. Counts and the length of the
 * rejects file belong to exactly these places, because all of them are taken at one instant between two events of
 * the event loop. It does not grow with the input. Lines beyond the places may have reached the service as well;
 * they go out again with the same uuid, event, distinct_id and timestamp, and merge there.
 *
 * HOW IT IS WRITTEN. Rejects are appended and synced first, then the checkpoint that counts them is saved. The generation
 * before it is kept. One process at a time writes, by the lease. In a bucket it is one object, and its writer names the
 * version that it replaces. What becomes of each when a run is cut short: src/state/README.md. What is this file's own:
 *
 *   before or while rejects are appended   rejects beyond the length that is saved are cut off on the next run, and written
 *                                          again when their lines are read again: none lost, none twice
 *   after a request, before the save       the service has events that the checkpoint does not know: sent again, merged
 *   while a batch is being bisected        the whole batch is sent again; its rejects are found again
 *   while refusals are in doubt            the places are still before their batches, which are sent again
 *   after --restart, before the first save the old state is still there: nothing is forgotten before there is a new one
 *
 * WHAT IT REFUSES (exit 6, nothing sent, nothing changed).
 *   - an input whose head, or whose consumed bytes, are not those it was made from; a file that only grew is accepted
 *   - a place that is no beginning of a line in that input: beyond its end, inside a line, of another number
 *   - events that other rules made than those that were sent: they would be others; --rules-changed goes on
 *   - another host, another project key (but one that replaced it: jobs/import/project-keys.ts), another group event name:
 *     what was delivered is elsewhere, or has another name
 *   - another number of lanes while the lanes are at different places
 *   - a rejects file that is not the one it wrote
 *   - two damaged generations, or a version it does not know. It never starts over by itself: only --restart does, and
 *     over these only with --force
 *   - a file that is no checkpoint (a part, a table, other JSON), whatever options are given: it is somebody's data
 *
 * WHAT IT DOES NOT HOLD. Keys: only a fingerprint. Events: only places, counts, and the names and uuids of a few that
 * are looked for in the project.
 */
import { PosthaulError } from '../errors.ts'
import { RESEND_MERGES } from '../record/index.ts'
import { CellKind, refused, type StateRefusal, SUMMED } from '../state/cell-kind.ts'
import { OPENING, OPENING_BYTES } from './checkpoint-files.ts'
import { type CheckpointState, stateSchema } from './checkpoint-shape.ts'

export type { CheckpointState } from './checkpoint-shape.ts'

const AS_WRITTEN = Buffer.from('{\n "version": 1,\n "tool": "posthaul ')

/** A checkpoint as it was loaded. */
export interface LoadedCheckpoint {
  readonly state: CheckpointState
  /** The newest generation was damaged, and this is the one before it. */
  readonly fellBack: boolean
}

const unusable = refused({
  code: 'mismatch',
  says: 'says what the service has taken',
  otherwise: `, or start over with --restart --force; of an unchanged input ${RESEND_MERGES}`,
})

/** Code `usage` for a file that isn't a checkpoint: no option writes over it. */
const refusal: StateRefusal = (address, reading) =>
  reading.kind === 'foreign'
    ? new PosthaulError(`${address} is not a checkpoint, and would be written over`, {
        code: 'usage',
        hint: 'name another file with --checkpoint, such as state.checkpoint.json; it need not exist',
      })
    : unusable(address, reading)

export const CHECKPOINT = new CellKind({
  name: 'checkpoint',
  schema: stateSchema,
  version: 1,
  form: SUMMED,
  isOurs,
  refusal,
})

/** A disk that failed leaves less of it, zeros, or a wrong bit here and there; other bytes are somebody's data. */
function isOurs(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, OPENING_BYTES))
  const wrong = head.subarray(0, AS_WRITTEN.length).filter((byte, at) => byte !== AS_WRITTEN[at]).length
  return (
    OPENING.test(head.toString('latin1')) ||
    wrong * 8 <= Math.min(head.length, AS_WRITTEN.length) ||
    bytes.every((byte) => byte === 0)
  )
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
