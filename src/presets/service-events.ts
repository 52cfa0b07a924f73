import { type Draft, Filtered, type PresetOptions, Rejection } from '../mapping/index.ts'

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
