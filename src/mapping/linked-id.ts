import type { Id } from '../record/id.ts'
import { isNeverJoined } from '../record/illegal-id.ts'
import { keyOf } from '../record/keys.ts'
import type { Mends } from '../record/mend.ts'
import { isNobody, isNobodyId } from '../record/nobody.ts'
import { cleanDistinctId } from '../record/rules.ts'
import { textIn } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import { Rejection } from './preset.ts'

/** Identity events, and the property that holds the id they link to the event's own. */
const LINKED: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

/**
 * Refuses an identity event of an id that stands for nobody: it would make one person of all who share it. `isOwnForm` is
 * true for events as the service has them: of these, one that names a word which the service joins to nobody stays.
 *
 * Cleans the id that an identity event links, as events clean their own: else the link would be to nobody. A number
 * becomes its digits, as it does for a distinct_id. The service drops the event where the id is of another kind.
 */
export function cleanLinkedId(draft: EventDraft, sender: Id, mends: Mends, isOwnForm: boolean): void {
  const name = LINKED.get(draft.event)
  if (name === undefined) return
  if (isNobodyId(sender)) throw ofNobody(draft.event, 'is about', sender.text)
  const json = draft.properties.json(keyOf(name))
  if (json === undefined || json === 'null') return
  if (/^[tf[{]/.test(json))
    throw new Rejection('linked_id_not_text', `${name} is neither a string nor a number`)
  const given = textIn(json)
  const id = cleanDistinctId(given)
  // One that is blank or too long links nobody: it stays as it is.
  if (typeof id !== 'string') return
  if (isNobody(id) && !(isOwnForm && isNeverJoined(id))) throw ofNobody(draft.event, 'names', id)
  if (id.length < given.length) mends.id_trimmed++
  if (id !== given || json === given) draft.mend(name, JSON.stringify(id))
}

function ofNobody(event: string, verb: string, id: string): Rejection {
  return new Rejection(
    'identity_of_nobody',
    `${event} ${verb} the id ${JSON.stringify(id)}, which stands for nobody in particular`,
  )
}
