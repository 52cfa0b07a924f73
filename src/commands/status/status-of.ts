import type { CheckpointState } from '../../delivery/checkpoint.ts'
import type { PaceLine } from '../../delivery/pace-log.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import { fileImportIds, pendingOf, shareOf } from '../../imports/standing.ts'
import { isAtWork, type UndoSeen } from '../../imports/undo-words.ts'
import type { HolderSeen } from '../../state/lease.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { MS_PER_MINUTE } from '../../text/units.ts'
import { notesJson } from '../notes-json.ts'
import type { StatusResult } from './result.ts'

/** What is known of an import beside its checkpoint. */
export interface Seen {
  /** The time of the look, in ms since the epoch. */
  readonly now: number
  /** The process that is importing now. */
  readonly runs: HolderSeen | undefined
  readonly migration: StatusResult['migration'] | undefined
  /** The last line of its pace log. */
  readonly pace: PaceLine | undefined
  /** The request that deletes its events, or has deleted them since it began. */
  readonly undo: UndoSeen | undefined
}

/** Where an import stands. Pure. */
export function statusOf(path: string, state: CheckpointState, seen: Seen): StatusResult {
  const { runs, migration, pace, undo } = seen
  const perMinute = runs && toldSpeed(pace, runs)
  const { input, counts, started_at, saved_at, caps, done, remarks } = state
  const eta = etaOf(state, seen, perMinute)
  const end = etaOf(state, seen, perMinute ?? perMinuteAtCap(state))
  return {
    version: 1,
    command: 'status',
    checkpoint: path,
    input: { kind: input.kind, name: input.name, bytes: input.size },
    host: state.target.host,
    via: state.via,
    rules: state.rules,
    import_ids: fileImportIds(input.kind, state.notes),
    done: done && !undo,
    sent: done,
    running: runs !== undefined,
    held_by: runs ? { process: runs.who, since: runs.since, purpose: runs.purpose, seen: runs.seen } : null,
    ...{ started_at, saved_at },
    written: counts.delivered,
    unconfirmed: state.remarks.unknown,
    rejected: counts.rejected,
    pending: pendingOf(state) ?? null,
    rejects: state.reasons,
    share: shareOf(state, pace) ?? null,
    bytes_done: done ? input.size : (pace?.bytes_done ?? null),
    bytes_total: done ? input.size : (pace?.bytes_total ?? null),
    import_command: goesOn(state, undo),
    rate_per_minute: perMinute ?? null,
    seconds_left: eta ? Math.ceil(eta.ms / 1000) : null,
    to_cap: eta?.isToCap ?? false,
    ends_at: end ? new Date(seen.now + end.ms).toISOString() : null,
    last_error: pace?.last_error ?? null,
    pace_at: pace?.at ?? null,
    caps,
    migration: migration ?? null,
    warnings: remarks.warnings,
    unmerged: remarks.unmerged,
    ...notesJson(state.notes),
    undo: undo?.request ?? null,
    undo_command: isAtWork(undo) ? undo.follow : null,
  }
}

/** The command line that goes on with the import; null if it is done, or can't go on yet. */
function goesOn({ command, done }: CheckpointState, undo: UndoSeen | undefined): string | null {
  if (command.length === 0 || isAtWork(undo) || (done && !undo)) return null
  return posthaulLine(undo ? [...command, '--restart'] : command)
}

/** The speed that the pace log tells, if the run that is alive wrote it. */
function toldSpeed(pace: PaceLine | undefined, { since }: HolderSeen): number | undefined {
  return pace && Date.parse(pace.at) >= Date.parse(since) ? pace.per_minute : undefined
}

/** How many events the input still holds: of a dataset exactly, of files about. */
function eventsLeft(state: CheckpointState, pace: PaceLine | undefined): number | undefined {
  const pending = pendingOf(state)
  if (pending !== undefined) return pending
  const share = shareOf(state, pace)
  const { delivered } = state.counts
  return share === undefined || share === 0 || delivered === 0 ? undefined : delivered / share - delivered
}

function perMinuteAtCap({ caps, places, most_lanes: mostLanes }: CheckpointState): number {
  return 60 * ratePerSecond({ perMinute: caps.events_per_minute, lanes: places.length, mostLanes })
}

/** How long the run under way takes at a speed: to the end of the input, or to the volume cap if that comes first. */
function etaOf(
  state: CheckpointState,
  { pace, migration }: Seen,
  perMinute: number | undefined,
): { readonly ms: number; readonly isToCap: boolean } | undefined {
  const left = eventsLeft(state, pace)
  if (state.done || left === undefined || !perMinute) return undefined
  const room = Math.max(0, state.caps.events - (migration?.delivered ?? state.counts.delivered))
  return { ms: (Math.min(left, room) * MS_PER_MINUTE) / perMinute, isToCap: room < left }
}
