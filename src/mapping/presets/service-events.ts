import { type Draft, Filtered, type PresetOptions, Rejection } from '../preset.ts'

/** Switch: merges of identified persons are repeated in the new project; nothing can undo them there. */
const MERGE_DANGEROUSLY = 'merge-dangerously'

/** The switch of presets whose records have the service's own names of events. */
export const MERGE_SWITCH = {
  [MERGE_DANGEROUSLY]: 'send $merge_dangerously events: persons they merge can never be told apart again',
} as const

/** Leaves out what the service drops, and refuses a merge that the user has not asked for. */
export function guardServiceEvent({ event }: Pick<Draft, 'event'>, { switches }: PresetOptions): void {
  if (event === '$performance_event') throw new Filtered('dropped_by_service')
  if (event === '$merge_dangerously' && !switches.has(MERGE_DANGEROUSLY)) {
    throw new Rejection(
      'merge_not_allowed',
      `$merge_dangerously is sent only with --with ${MERGE_DANGEROUSLY}`,
    )
  }
}
