import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { PaceLine } from '../../delivery/pace-log.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import { earliest } from '../../delivery/place.ts'
import type { Surroundings } from '../../imports/import-turn.ts'
import { isAtWork, type UndoSeen } from '../../imports/undo-words.ts'
import type { HolderSeen } from '../../state/lease.ts'
import type { PartsSeen } from '../../store/dataset.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { fileImportIds } from '../import/import-json.ts'
import { notesJson } from '../notes-json.ts'
import type { StatusResult } from './result.ts'

/** How status holds the files of a dataset against its manifest: it reads none of them. */
const COMPARED = 'name and size'

/** What is known of the import beside its checkpoint. */
export interface StatusSurroundings extends Surroundings {
  /** The time of the look, in ms since the epoch. */
  readonly now: number
  /** The last line of its pace log, if it has one. */
  readonly pace: PaceLine | undefined
  /** How fast the run under way is, in events a minute; undefined if nobody knows. */
  readonly perMinute: number | undefined
  /** The files of the dataset; undefined if it was not looked at. */
  readonly parts: PartsSeen | undefined
  /** The request that deletes its events, or has deleted them since it began. */
  readonly undo: UndoSeen | undefined
}

/** A checkpoint as JSON, as result.ts has it. */
export function statusJson(path: string, state: CheckpointState, around: StatusSurroundings): StatusResult {
  const { runs, migration, drawing, pace, perMinute, parts, undo } = around
  const { input, target, counts, caps, started_at, saved_at } = state
  const eta = etaOf(state, around)
  const end = endOf(state, around)
  return {
    version: 1,
    command: 'status',
    checkpoint: path,
    input: { kind: input.kind, name: input.name, bytes: input.size },
    host: target.host,
    via: state.via,
    rules: state.rules,
    import_ids: fileImportIds(input.kind, state.notes),
    done: state.done && !undo,
    running: runs !== undefined,
    held_by: runs === undefined ? null : holderJson(runs),
    started_at,
    saved_at,
    written: counts.delivered,
    unconfirmed: unconfirmedOf(state),
    rejected: counts.rejected,
    pending: pendingOf(state) ?? null,
    rejects: state.reasons,
    share: shareOf(state, pace) ?? null,
    bytes_done: state.done ? input.size : (pace?.bytes_done ?? null),
    bytes_total: state.done ? input.size : (pace?.bytes_total ?? null),
    import_command: goesOn(state, undo),
    rate_per_minute: perMinute ?? null,
    seconds_left: secondsOf(eta?.ms),
    ends_at: end === undefined ? null : new Date(end).toISOString(),
    seconds_left_at_cap: secondsOf(atCapMs(state, pace)),
    last_error: pace?.last_error ?? null,
    pace_at: pace?.at ?? null,
    caps,
    migration: migration ?? null,
    drawing_on_cap: drawing.map(holderJson),
    damaged: parts?.faults ?? [],
    unnamed: parts?.unnamed ?? [],
    compared: parts ? COMPARED : null,
    undo: undo?.request ?? null,
  }
}

/** What the text of a status says beside its result. */
export type StatusSaid = ReturnType<typeof statusSaid>

export function statusSaid(state: CheckpointState, around: StatusSurroundings) {
  return {
    /** The time of the look, in ms since the epoch. */
    now: around.now,
    /** All of the input is sent, whatever was deleted since. */
    isSent: state.done,
    /** The run under way stops at the volume cap, before the end of the input. */
    isToCap: etaOf(state, around)?.isToCap === true,
    /** The command that says how far the request is that deletes what was sent. */
    follow: isAtWork(around.undo) ? around.undo.follow : undefined,
    notes: notesJson(state.notes),
    remarks: state.remarks,
  }
}

/** The command line that goes on with the import; null if it is done, it can't yet, or an earlier version began it. */
function goesOn({ command, done }: CheckpointState, undo: StatusSurroundings['undo']): string | null {
  if (command.length === 0 || isAtWork(undo) || (done && !undo)) return null
  return posthaulLine(undo ? [...command, '--restart'] : command)
}

/** Events of a dataset that are not settled yet. Undefined for files: how many lines they have is not known. */
export function pendingOf({ input, counts }: CheckpointState): number | undefined {
  if (input.kind !== 'dataset') return undefined
  return input.events - counts.delivered - counts.rejected - counts.filtered
}

/** Of the written events, those of which the service did not say that they are stored. */
export function unconfirmedOf({ counts, remarks }: CheckpointState): number {
  return Math.min(remarks.unknown, counts.delivered)
}

/** The share of the input that is acknowledged, from 0 to 1. Undefined if neither the checkpoint nor the pace log can tell. */
export function shareOf(state: CheckpointState, pace: PaceLine | undefined): number | undefined {
  const { input, places, done } = state
  if (done) return 1
  if (input.kind === 'files')
    return (input.before.bytes + input.current.consumed.bytes) / Math.max(1, input.size)
  if (input.kind === 'dataset')
    return input.events === 0 ? 1 : (input.events - pendingOf(state)!) / input.events
  const { offset } = earliest(places)
  // A place counts unpacked bytes. If it is beyond the file's size, the file is a .gz, whose unpacked size is unknown.
  if (offset <= input.size) return offset / Math.max(1, input.size)
  return pace?.bytes_done && pace.bytes_total ? Math.min(1, pace.bytes_done / pace.bytes_total) : undefined
}

/** How many events the input still holds: of a dataset exactly, of files about. */
function eventsLeft(state: CheckpointState, pace: PaceLine | undefined): number | undefined {
  const pending = pendingOf(state)
  if (pending !== undefined) return pending
  const share = shareOf(state, pace)
  const { delivered } = state.counts
  return share === undefined || share === 0 || delivered === 0 ? undefined : delivered / share - delivered
}

/** The least time that is left, as the rate cap allows. */
function atCapMs(state: CheckpointState, pace: PaceLine | undefined): number | undefined {
  const events = eventsLeft(state, pace)
  return events === undefined ? undefined : (events * MS_PER_MINUTE) / perMinuteAtCap(state)
}

function perMinuteAtCap({ caps, places, most_lanes: mostLanes }: CheckpointState): number {
  return 60 * ratePerSecond({ perMinute: caps.events_per_minute, lanes: places.length, mostLanes })
}

/** When the run under way ends at its speed: at the end of the input, or at the volume cap if that comes first. */
function etaOf(
  state: CheckpointState,
  { pace, perMinute, migration }: StatusSurroundings,
): { readonly ms: number; readonly isToCap: boolean } | undefined {
  const left = eventsLeft(state, pace)
  if (state.done || left === undefined || !perMinute) return undefined
  const room = Math.max(0, state.caps.events - (migration?.delivered ?? state.counts.delivered))
  return { ms: (Math.min(left, room) * MS_PER_MINUTE) / perMinute, isToCap: room < left }
}

/** When the import ends, in ms since the epoch: at the speed of the run under way, else at the earliest, as the rate cap allows. */
function endOf(state: CheckpointState, around: StatusSurroundings): number | undefined {
  const perMinute = around.perMinute ?? perMinuteAtCap(state)
  const eta = etaOf(state, { ...around, perMinute })
  return eta && around.now + eta.ms
}

function secondsOf(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.ceil(ms / 1000)
}

function holderJson({ who, since, purpose, seen }: HolderSeen) {
  return { process: who, since, purpose, seen }
}
