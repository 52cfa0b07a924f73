import type { CheckpointState } from '../../delivery/index.ts'
import { pendingOf, unconfirmedOf } from '../status/status.ts'
import { isAtWork, requestWords, type UndoSeen, undoneWords } from '../undo/undo-words.ts'
import { cutText, MOST_ROWS, topOf } from './bounds.ts'
import type { ImportPart, LeftOutPart } from './report-data.ts'

/** An import as its checkpoint says. `share`: of the input that is settled, 0 to 1, if that is known. */
export function importPart(
  path: string,
  state: CheckpointState,
  share: number | undefined,
  undo?: UndoSeen,
): ImportPart {
  const { input, tool, started_at, saved_at, done, counts, own, caps } = state
  const pending = pendingOf(state)
  return {
    input: cutText(input.name),
    checkpoint: cutText(path),
    tool: cutText(tool),
    startedAt: cutText(started_at),
    savedAt: cutText(saved_at),
    state: undo ? undoneWords(undo) : done ? 'done' : 'unfinished',
    ...(undo && { undo: cutText(undoText(undo)) }),
    delivered: counts.delivered,
    unconfirmed: unconfirmedOf(state),
    rejected: counts.rejected,
    filtered: counts.filtered,
    ...(pending !== undefined && { pending }),
    own: own.events,
    ...(share !== undefined && { share: Math.min(1, Math.max(0, share)) }),
    capPerMinute: caps.events_per_minute,
    capEvents: caps.events,
    approved: caps.approved,
  }
}

function undoText(undo: UndoSeen): string {
  const words = `${requestWords(undo.request)}.`
  return isAtWork(undo) ? `${words} How far that is says ${undo.follow}` : words
}

/** What an import left out; empty where that is nothing. */
export function importLeftOut({ input, filters, notes }: CheckpointState): LeftOutPart[] {
  const { mends, ignored_members: ignored } = notes
  const records = topOf(filters, MOST_ROWS)
  const members = topOf(ignored, MOST_ROWS)
  const mended = topOf({ ...mends }, MOST_ROWS).top
  if (records.top.length + members.top.length + mended.length === 0) return []
  return [
    {
      input: cutText(input.name),
      records,
      members: members.top.map(({ name, count }) => ({ name, fate: 'not read by the service', count })),
      otherMembers: members.otherNames,
      duplicate: 0,
      earlier: 0,
      mends: mended,
    },
  ]
}
