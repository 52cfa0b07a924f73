import type { CheckpointState } from '../../delivery/checkpoint.ts'
import { ratePerSecond } from '../../delivery/pacer.ts'
import { fileImportIds, pendingOf, shareOf } from '../../imports/standing.ts'
import { isAtWork, type UndoSeen } from '../../imports/undo-words.ts'
import type { HolderSeen } from '../../state/lease.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { notesJson } from '../notes-json.ts'
import type { StatusResult } from './result.ts'

/** What is known of an import beside its checkpoint. */
export interface Seen {
  /** The time of the look, in ms since the epoch. */
  readonly now: number
  /** The process that is importing now. */
  readonly runs: HolderSeen | undefined
  readonly migration: StatusResult['migration'] | undefined
  /** The request that deletes its events, or has deleted them since it began. */
  readonly undo: UndoSeen | undefined
}

/** Where an import stands. Pure. */
export function statusOf(path: string, state: CheckpointState, seen: Seen): StatusResult {
  const { runs, migration, undo } = seen
  const { input, counts, started_at, saved_at, caps, done, remarks } = state
  const leastMs = leastMsOf(state, migration)
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
    share: shareOf(state) ?? null,
    import_command: goesOn(state, undo),
    ends_at: leastMs === undefined ? null : new Date(seen.now + leastMs).toISOString(),
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

/** How many events the input still holds: of a dataset exactly, of files about. */
function eventsLeft(state: CheckpointState): number | undefined {
  const pending = pendingOf(state)
  if (pending !== undefined) return pending
  const share = shareOf(state)
  const { delivered } = state.counts
  return share === undefined || share === 0 || delivered === 0 ? undefined : delivered / share - delivered
}

/** How long it takes at the rate cap: to the end of the input, or to the volume cap if that comes first. */
function leastMsOf(state: CheckpointState, migration: Seen['migration']): number | undefined {
  const { caps, places, most_lanes: mostLanes, counts, done } = state
  const left = eventsLeft(state)
  if (done || left === undefined) return undefined
  const room = Math.max(0, caps.events - (migration?.delivered ?? counts.delivered))
  const perSecond = ratePerSecond({ perMinute: caps.events_per_minute, lanes: places.length, mostLanes })
  return (Math.min(left, room) * 1000) / perSecond
}
