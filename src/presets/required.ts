import { type Draft, Filtered, type PresetOptions, type RecordView, Rejection } from '../mapping/preset.ts'
import { KIND } from '../record/tape.ts'
import { parseTime } from '../record/time.ts'

/** The event name in a slot; a number or a container isn't a name. Undefined if the slot has no name. */
export function eventText(record: RecordView, slot: string): string | undefined {
  const kind = record.kind(slot)
  if (kind === undefined || kind === KIND.null) return undefined
  if (kind !== KIND.string) throw new Rejection('event_not_text', `${slot} is not a string`)
  return record.text(slot)
}

/** The time in a slot, in microseconds. A record without one is refused: no other time may replace it. */
export function requiredTime(record: RecordView, slot: string, zone?: string): number {
  return parseTime(requiredTimeText(record, slot), zone)
}

/** The time in a slot as text, for presets that read it in a way of their own. */
export function requiredTimeText(record: RecordView, slot: string): string {
  const text = record.text(slot)
  if (text === undefined) throw new Rejection('timestamp_missing', `${slot} is missing`)
  return text
}

/**
 * Refuses a record where a slot holds any other value than an object, which would be lost: the service takes objects
 * only. Each slot comes with the reason of the reject.
 */
export function requireObjects(
  record: RecordView,
  slots: ReadonlyArray<readonly [slot: string, reason: string]>,
): void {
  for (const [slot, reason] of slots) {
    const kind = record.kind(slot)
    if (kind === undefined || kind === KIND.object || kind === KIND.null) continue
    if (kind === KIND.string && record.text(slot) === undefined) continue
    throw new Rejection(reason, `${slot} is not an object`)
  }
}

export function changeGroup(draft: Draft, type: string, key: string, json: string): void {
  draft.text('$group_type', type)
  draft.text('$group_key', key)
  draft.property('$group_set', json)
}

/** Switch: merges of identified persons are repeated in the new project; nothing can undo them there. */
const MERGE_DANGEROUSLY = 'merge-dangerously'

/** The switch of presets whose records have the service's own names of events. */
export const MERGE_SWITCH = {
  [MERGE_DANGEROUSLY]: 'send $merge_dangerously events: persons they merge can never be told apart again',
} as const

/** The service keeps these in tables of their own, doubled by each time they are sent. */
const NOT_AMONG_EVENTS = new Set(['$$heatmap', '$$client_ingestion_warning'])

/** Leaves out what the service drops or keeps elsewhere, and refuses a merge that the user has not asked for. */
export function guardServiceEvent({ event }: Pick<Draft, 'event'>, { switches }: PresetOptions): void {
  if (event === '$performance_event') throw new Filtered('dropped_by_service')
  if (event.startsWith('$snapshot')) throw new Filtered('session_replay')
  if (NOT_AMONG_EVENTS.has(event)) throw new Filtered('not_kept_as_event')
  if (event === '$merge_dangerously' && !switches.has(MERGE_DANGEROUSLY)) {
    throw new Rejection(
      'merge_not_allowed',
      `$merge_dangerously is sent only with --with ${MERGE_DANGEROUSLY}`,
    )
  }
}
