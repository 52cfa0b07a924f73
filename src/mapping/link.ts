import { isJunkId } from '../record/junk-id.ts'
import { cleanDistinctId } from '../record/rules.ts'
import type { Preset, RecordView } from './preset.ts'

/** Two ids of one person. */
export interface Link {
  readonly anonymousId: string
  readonly userId: string
}

/**
 * What an anonymous id beside an event's distinct_id shows: it belongs to that user or, where the event is the anonymous
 * id's own, to the user that the preset finds. Undefined where the ids are one, can't be sent, or stand for nobody.
 */
export function linkOf(
  anonymous: string,
  distinctId: string,
  preset: Preset,
  record: RecordView,
): Link | undefined {
  const anonymousId = anonymous === distinctId ? distinctId : cleaned(anonymous)
  if (anonymousId === undefined) return undefined
  const userId = anonymousId === distinctId ? cleaned(preset.userId?.(record)) : distinctId
  if (userId === undefined || userId === anonymousId) return undefined
  return isJunkId(anonymousId) || isJunkId(userId) ? undefined : { anonymousId, userId }
}

function cleaned(id: string | undefined): string | undefined {
  const clean = id === undefined ? undefined : cleanDistinctId(id)
  return typeof clean === 'string' ? clean : undefined
}
