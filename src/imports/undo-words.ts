import { z } from 'zod'
import { count, type ValueOf } from '../result-parts.ts'
import { plural } from '../text/words.ts'

/** A request to delete what an import sent, as results show it. */
export const undoRequestPart = z.strictObject({
  submission_id: z.string(),
  id: z.string().nullable(),
  status: z.string(),
  filed_at: z.string(),
  left: count.nullable().describe('events; null until it is done'),
})

export type ShownRequest = ValueOf<typeof undoRequestPart>

/** A request that deletes, or has deleted, what an import sent. */
export interface UndoSeen {
  readonly request: ShownRequest
  /** The command that says how far it is. */
  readonly follow: string
}

/** True while a request can still delete events. */
export function isAtWork(seen: UndoSeen | undefined): seen is UndoSeen {
  return seen?.request.left === null
}

/** What became of an import that is taken back, in a word or two. */
export function undoneWords({ left }: UndoSeen['request']): 'being taken back' | 'taken back' {
  return left === null ? 'being taken back' : 'taken back'
}

/** How far a request is. `events`: of the import that are there now. */
export function requestWords({ status, id, left }: ShownRequest, events = 0): string {
  const name = `request${id === null ? '' : ` ${id}`}: ${status}`
  if (status === 'sending')
    return 'a request was sent, and PostHog does not show it: --request sends the same one again; after an hour --status gives it up'
  if (status === 'failed' || status === 'gone') return `${name}; it deletes nothing any more`
  if (left === 0 && events > 0) return `${name}; it left none: these events were sent after it`
  if (left === 0) return `${name}; none of the events is left: import them anew with --restart`
  if (left !== null) return `${name}; left: ${plural(left, 'event')}, which this request does not delete`
  return `${name}; PostHog approves it, and deletes at a weekend. Until then import refuses these events`
}
