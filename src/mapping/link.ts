import { cleanId, Id } from '../record/id.ts'
import { isNobodyId, isNullWord } from '../record/nobody.ts'
import type { IdView, Preset } from './preset.ts'
import type { SlotView } from './record-view.ts'

/** Two ids of one person. */
export interface Link {
  readonly anonymous: Id
  readonly user: Id
}

/**
 * What an anonymous id beside an event's distinct_id shows: it belongs to that user or, where the event is the anonymous
 * id's own, to the user that the preset finds. Undefined where the ids are one, can't be sent, or stand for nobody.
 */
export function linkOf(
  anonymousId: Id | string,
  distinctId: Id,
  preset: Preset,
  record: IdView,
): Link | undefined {
  const anonymous = cleaned(anonymousId)
  if (anonymous === undefined) return undefined
  const user = anonymous.equals(distinctId) ? cleaned(preset.userId?.(record)) : distinctId
  if (user === undefined || user.equals(anonymous)) return undefined
  return isNobodyId(anonymous) || isNobodyId(user) ? undefined : { anonymous, user }
}

function cleaned(id: Id | string | undefined): Id | undefined {
  if (id === undefined) return undefined
  const clean = cleanId(asId(id))
  return clean instanceof Id ? clean : undefined
}

/** What a preset found for an id. */
export function asId(found: Id | string): Id {
  return typeof found === 'string' ? Id.ofText(found) : found
}

/**
 * The distinct_id: the first that `find` meets and that stands for somebody. Where there is none, a word of a tool's own
 * such as `guest` is it all the same; one that says that there is nothing, such as NULL, isn't. Empty if there is no id.
 */
export function senderOf(view: SlotView, find: () => Id | string | undefined, leavesOutNobody: boolean): Id {
  let found = find()
  if (found === undefined && view.putBackWords()) found = find()
  else view.noteLeftOut()
  const id = asId(found ?? '')
  return leavesOutNobody && isNobodyId(id) && isNullWord(id.text) ? asId('') : id
}
