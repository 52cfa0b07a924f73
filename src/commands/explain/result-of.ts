import { remedyOf } from '../../checks/words/rejects.ts'
import type { Explanation } from '../../studio/explanation.ts'
import type { EventTrace, PartTrace } from '../../studio/trace.ts'
import type { ExplainResult } from './result.ts'

type Part = ExplainResult['parts'][number]

/** What is known of a record that was found. */
export function explained({ trace, match, ...record }: Explanation) {
  const { whole, parts } = trace
  return {
    preset: record.preset,
    file: record.file,
    unit: record.unit,
    number: record.number,
    record: trace.record,
    child: record.child,
    generated: match?.generated ?? null,
    twin: parts.find((part) => part.child === record.child)?.event?.twin ?? 0,
    whole: whole && { ...whole, remedy: remedyFor(whole) },
    parts: parts.map(partOf),
  }
}

function partOf(part: PartTrace): Part {
  const { child, outcome, reason, message, members, event } = part
  const { mends, unusable, bigIntegers: big_integers, duplicateKeys: duplicate_keys } = part.notes
  const link = event?.link ?? part.link
  return {
    ...{ child, outcome, reason, message, remedy: remedyFor(part) },
    ...{ source_event: part.source, distinct_id: part.distinctId },
    link: link && { anonymous_id: link.anonymousId, user_id: link.userId },
    members,
    event: event && eventOf(event),
    ...{ mends, unusable, big_integers, duplicate_keys },
  }
}

function eventOf({ line, uuid, twin, event, timestamp, groups, places, ...more }: EventTrace): Part['event'] {
  return {
    ...{ line, uuid, uuid_from: more.uuidFrom, uuid_members: more.uuidMembers, twin, event, timestamp },
    ...{ groups, group_states: more.groupStates, gives_way: more.givesWay, places },
  }
}

function remedyFor({ outcome, reason }: { readonly outcome: string; readonly reason: string | null }) {
  return outcome === 'rejected' && reason !== null ? remedyOf(reason) : null
}
