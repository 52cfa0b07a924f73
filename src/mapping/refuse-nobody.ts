import type { Id } from '../record/id.ts'
import { isJunk } from '../record/junk-id.ts'
import { Rejection } from './preset.ts'

/** Events that link ids. */
const IDENTITY_EVENTS = new Set(['$identify', '$create_alias', '$merge_dangerously'])

/** Refuses an identity event of an id that many people share: it would make one person of all of them. */
export function refuseNobody(event: string, id: Id): void {
  if (!IDENTITY_EVENTS.has(event) || !isJunk(id)) return
  throw new Rejection(
    'identity_of_nobody',
    `${event} is about the id ${JSON.stringify(id.text)}, which stands for nobody in particular`,
  )
}
