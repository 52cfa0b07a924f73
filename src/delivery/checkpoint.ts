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
 *   - events that other rules made than those that were sent: they would be others; --accept rules_changed goes on
 *   - another host, another project key (but one that replaced it: jobs/import-state/project-keys.ts): what was delivered
 *     is elsewhere
 *   - another number of lanes while the lanes are at different places
 *   - a rejects file that is not the one it wrote
 *   - two damaged generations, or another version. It never starts over by itself: only --restart does, and
 *     over these only with --accept state_unreadable
 *   - a file that is no checkpoint (a part, a table, other JSON), whatever options are given: it is somebody's data
 *
 * WHAT IT DOES NOT HOLD. Keys: only a fingerprint. Events: only places, counts, and the names and uuids of a few that
 * are looked for in the project.
 */
import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { noMends } from '../record/mend.ts'
import { RESEND_MERGES } from '../record/merging.ts'
import { CellKind, refused, type StateRefusal } from '../state/cell-kind.ts'
import { NO_LINES } from '../state/line-log.ts'
import { tallyShape } from '../store/manifest.ts'
import { readSpan } from '../store/read-file.ts'
import { METERS } from './arrival-watch.ts'
import { VIAS } from './route.ts'

const count = z.number().int().nonnegative()
const place = z.object({ part: count, offset: count, line: z.number().int().positive() })
const digest = z.object({ bytes: count, sha256: z.string() })

const sample = z.object({
  meter: z.enum(METERS),
  at: z.number(),
  day: z.string(),
  event: z.string(),
  uuid: z.string(),
})

const MENDS = Object.keys(noMends()) as (keyof ReturnType<typeof noMends>)[]

const file = { name: z.string(), size: count, head: digest, consumed: digest }

/** What the checkpoint says before the import has made an event itself. */
export const NO_OWN_EVENTS = { file: NO_LINES, sent: 0, events: 0 }

const stateSchema = z.object({
  tool: z.string(),
  /** Random: tells this import from others in the ledger. */
  id: z.string(),
  started_at: z.string(),
  saved_at: z.string(),
  input: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('file'), ...file }),
    z.object({
      kind: z.literal('files'),
      name: z.string(),
      size: count,
      /** The files that were read to their end: their number, their bytes, one hash of all names and contents. */
      before: z.object({ files: count, bytes: count, sha256: z.string() }),
      /** The file that was read furthest. */
      current: z.object(file),
    }),
    z.object({
      kind: z.literal('dataset'),
      name: z.string(),
      size: count,
      events: count,
      manifest_sha256: z.string(),
      /** Of the names and contents of its parts: see sent-record.ts. */
      content: z.string(),
    }),
  ]),
  target: z.object({ host: z.string(), key: z.string() }),
  caps: z.object({ events_per_minute: count, events: count, approved: z.boolean() }),
  /** The route that the events take. */
  via: z.enum(VIAS),
  /** The version of the rules that made the events, as in the manifest. */
  rules: z.string(),
  /** The words of the command line that goes on with it. */
  command: z.array(z.string()),
  /** One for each lane. */
  places: z.array(place).min(1),
  /** The most lanes that a run of this import has had: the pacer reserves for them. */
  most_lanes: count,
  counts: z.object({ delivered: count, rejected: count, filtered: count }),
  reasons: tallyShape,
  /** Records left out on purpose, by reason. */
  filters: tallyShape,
  /** Delivered events that were young when they were sent. */
  young: count,
  notes: z.object({
    mends: z.record(z.enum(MENDS), count),
    duplicate_keys: count,
    big_integers: tallyShape,
    ignored_members: tallyShape,
    import_ids: tallyShape,
    unusable: tallyShape,
  }),
  /** What Capture V1 said of events that it took. */
  remarks: z.object({ warnings: tallyShape, unmerged: tallyShape, unknown: count }),
  rejects: digest,
  /**
   * The import's own events: see own-events.ts. `sent`: bytes of lines that the service has taken. `prepared`: the size of
   * the input for which the work that is done once is done.
   */
  own: z.object({ file: digest, sent: count, events: count, prepared: count.optional() }),
  /**
   * Set when the last line had no line end and was rejected. If the file grows, the line is read again and its reject
   * withdrawn.
   */
  tail: z.object({ place, reason: z.string(), rejects: digest }).optional(),
  /** Acknowledged events that were not found in the project so far; `doubt`: the run paused because of them. `over_quota_at`: when a
   * run last ended over the project's quota. */
  arrival: z
    .object({ unseen: z.array(sample), doubt: z.boolean(), over_quota_at: z.string().optional() })
    .optional(),
  done: z.boolean(),
  /** Set at the end of a run that rejected nothing, and sent nothing that can have arrived: there is nothing to go on with. */
  unsent: z.literal(true).optional(),
  /** Set once all that was delivered is deleted from the project again: only a restart goes on. */
  undone: z.object({ at: z.string(), submission_id: z.string() }).optional(),
})
/** The contents of a checkpoint file. */
export type CheckpointState = z.infer<typeof stateSchema>

/** How every checkpoint begins, whatever its version. No other file of posthaul does. */
const OPENING = /^\{\s*"version": ?\d+,\s*"tool": ?"posthaul /
const OPENING_BYTES = 64
const AS_WRITTEN = Buffer.from('{"version":1,"tool":"posthaul ')

/** A checkpoint as it was loaded. */
export interface LoadedCheckpoint {
  readonly state: CheckpointState
  /** The newest generation was damaged, and this is the one before it. */
  readonly fellBack: boolean
}

const unusable = refused({
  code: 'mismatch',
  says: 'says what the service has taken',
  otherwise: `, or start over with --restart --accept state_unreadable; of an unchanged input ${RESEND_MERGES}`,
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

/** True for a file that begins as every checkpoint does, whatever its name and whether it is whole. */
export async function isCheckpoint(path: string): Promise<boolean> {
  return OPENING.test((await readSpan(path, OPENING_BYTES)).toString('latin1'))
}
