import { remedyOf } from '../../checks/words/rejects.ts'
import type { Explanation } from '../../studio/explanation.ts'
import type { EventTrace, LinkTrace, PartTrace } from '../../studio/trace.ts'
import type { ExplainResult } from './result.ts'

/** What reading came to. `record` is undefined when none was found. */
interface Explained {
  readonly record: Explanation | undefined
  /** Records that were read to find it. */
  readonly read: number
  /** The event's line in the dataset that was named; null where none was. */
  readonly datasetEvent: string | null
  readonly test: ExplainResult['test']
}

/** What `explain --json` prints, as result.ts has it. */
export function explanationJson({ record, read, datasetEvent, test }: Explained): ExplainResult {
  const whole = record?.trace.whole ?? null
  return {
    version: 1,
    command: 'explain',
    found: record !== undefined,
    read,
    preset: record?.preset ?? null,
    file: record?.file ?? null,
    unit: record?.unit ?? null,
    number: record?.number ?? null,
    record: record?.trace.record ?? null,
    child: record?.child ?? null,
    generated: record?.match?.generated ?? null,
    twin: record?.trace.parts.find((part) => part.child === record.child)?.event?.twin ?? 0,
    whole: whole && { ...whole, remedy: remedyFor(whole) },
    parts: (record?.trace.parts ?? []).map(partJson),
    test,
    dataset_event: datasetEvent,
  }
}

type Part = ExplainResult['parts'][number]

function partJson(part: PartTrace): Part {
  const { child, outcome, reason, message, source, distinctId, link, members, event, notes } = part
  const { mends, unusable, bigIntegers, duplicateKeys } = notes
  return {
    child,
    outcome,
    reason,
    message,
    remedy: remedyFor(part),
    source_event: source,
    distinct_id: distinctId,
    link: linkJson(event?.link ?? link),
    members,
    event: event && eventJson(event),
    mends,
    unusable,
    big_integers: bigIntegers,
    duplicate_keys: duplicateKeys,
  }
}

function eventJson(event: EventTrace): Part['event'] {
  const { line, uuid, uuidFrom, uuidMembers, twin, timestamp, groups, groupStates, givesWay, places } = event
  return {
    line,
    uuid,
    uuid_from: uuidFrom,
    uuid_members: uuidMembers,
    twin,
    event: event.event,
    timestamp,
    groups,
    group_states: groupStates,
    gives_way: givesWay,
    places,
  }
}

function remedyFor({ outcome, reason }: { readonly outcome: string; readonly reason: string | null }) {
  return outcome === 'rejected' && reason !== null ? remedyOf(reason) : null
}

function linkJson(link: LinkTrace | null) {
  return link && { anonymous_id: link.anonymousId, user_id: link.userId }
}
