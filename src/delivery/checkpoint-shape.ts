import { z } from 'zod'
import { NO_LINES } from '../state/line-log.ts'
import { tallyShape } from '../store/index.ts'
import { METERS } from './meter.ts'
import { VIAS } from './route.ts'

// What a checkpoint holds; checkpoint.ts says what it proves. New members have a default: older files lack them.

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

const file = { name: z.string(), size: count, head: digest, consumed: digest }

/** What the checkpoint says before the import has made an event itself. */
export const NO_OWN_EVENTS = {
  file: NO_LINES,
  sent: 0,
  events: 0,
}

const fields = z.object({
  version: z.literal(1),
  tool: z.string(),
  /** Random: tells this import from others in the ledger. Checkpoints of versions without a ledger have none. */
  id: z.string().optional(),
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
      /** Of the names and contents of its parts: see sent-record.ts. Earlier versions kept none. */
      content: z.string().optional(),
    }),
  ]),
  target: z.object({ host: z.string(), key: z.string() }),
  caps: z.object({ events_per_minute: count, events: count, approved: z.boolean() }),
  group_event_name: z.string(),
  /** The route that the events take; `auto` until the service has told. Earlier versions knew one. */
  via: z.enum(VIAS).default('batch'),
  /** The version of the rules that made the events, as in the manifest; null for a dataset of manifest version 1. */
  rules: z.string().nullable().default(null),
  /** The words of the command line that goes on with it. Earlier versions kept none. */
  command: z.array(z.string()).default([]),
  /** One for each lane. */
  places: z.array(place).min(1),
  /** The most lanes that a run of this import has had: the pacer reserves for them. */
  most_lanes: count.optional(),
  counts: z.object({ delivered: count, rejected: count, filtered: count.default(0) }),
  /** Delivered before a --restart, by a version that had no ledger. */
  delivered_before_restart: count.default(0),
  reasons: tallyShape,
  /** Records left out on purpose, by reason. */
  filters: tallyShape.default({}),
  /** Delivered events that were young when they were sent. */
  young: count.default(0),
  notes: z.object({
    mends: z.object({
      lone_surrogate: count,
      huge_number: count,
      big_integer: count,
      event_name_cut: count.default(0),
      id_trimmed: count.default(0),
      not_finite: count.default(0),
      deep_array: count.default(0),
    }),
    duplicate_keys: count,
    big_integers: tallyShape,
    ignored_members: tallyShape,
    import_ids: tallyShape.default({}),
    unusable: tallyShape.default({}),
  }),
  /** What Capture V1 said of events that it took. */
  remarks: z
    .object({ warnings: tallyShape, unmerged: tallyShape, unknown: count })
    .default({ warnings: {}, unmerged: {}, unknown: 0 }),
  rejects: digest,
  /**
   * The import's own events: see own-events.ts. `sent`: bytes of lines that the service has taken. `prepared`: the size of
   * the input for which the work that is done once is done.
   */
  own: z
    .object({ file: digest, sent: count, events: count, prepared: count.optional() })
    .default(() => NO_OWN_EVENTS),
  /**
   * Set when the last line had no line end and was rejected. If the file grows, the line is read again and its reject
   * withdrawn.
   */
  tail: z.object({ place, reason: z.string(), rejects: digest }).optional(),
  /** Acknowledged events that were not found in the project so far; `doubt`: the run paused because of them. */
  arrival: z.object({ unseen: z.array(sample), doubt: z.boolean() }).optional(),
  done: z.boolean(),
  /** Set once all that was delivered is deleted from the project again: only a restart goes on. */
  undone: z.object({ at: z.string(), submission_id: z.string() }).optional(),
})
/** Reads the contents of a checkpoint file. Those of earlier versions have no `most_lanes`. */
export const stateSchema = fields.transform((state) => ({
  ...state,
  most_lanes: state.most_lanes ?? state.places.length,
}))

/** The contents of a checkpoint file. */
export type CheckpointState = z.infer<typeof stateSchema>
