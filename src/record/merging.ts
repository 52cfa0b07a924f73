/*
 * When PostHog takes two events for one and keeps the later to arrive. From 30 November 2026 its storage has another order
 * key; which of the two a server has can't be asked. Pages and messages take their words from here, and
 * test/record/merging.test.ts holds the pages against it.
 */

/** What two events that merge agree in, before the change and after it. */
export const MERGING = {
  changed: '30 November 2026',
  agree: ['uuid', 'name', 'distinct_id'],
  before: 'UTC day',
  after: 'time to the microsecond',
} as const

/** The rule, as a sentence without a full stop. */
export const MERGE_RULE =
  `PostHog merges two events that agree in ${MERGING.agree.join(', ')} and time: to the microsecond in the storage that it ` +
  `has from ${MERGING.changed}, by the ${MERGING.before} before that and on servers that were not changed`

/** Why an unchanged input may be sent again. */
export const RESEND_MERGES = `the same events, sent again, agree in ${MERGING.agree.join(', ')} and ${MERGING.after}, and merge`

/** The rule as it tells of events that are there twice, a sentence without a full stop. */
export const MERGED_UNTIL = `until ${MERGING.changed} two sends of an event merged on the same ${MERGING.before}; since then only at the same ${MERGING.after}`

/** What becomes of what a managed migration or a destination that tells its clock brought, and what to do. */
export const OTHERS_STAY =
  "PostHog's managed migrations, and destinations that send their clock, shift each time by the difference of the clocks: " +
  `from ${MERGING.changed}, all they bring besides posthaul is there twice`

/** How to cut what another brought; pages link it. */
export const CUT_OTHERS = 'let the history end before it, with filter.to in the mapping file'

/** What tells two events apart, or does not. */
export interface MergeKey {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** In UTC: `2024-03-01 12:34:56.789`, with up to six decimals; or with a T and a Z. */
  readonly timestamp: string
}

/** `merges`: in both storages; `moved`: in the one from before only, if at all; `apart`: in none; `renamed`: the same under another uuid. */
export type Meeting = 'merges' | 'moved' | 'apart' | 'renamed'

/** What becomes of an event that meets one in the project; undefined for one that has neither its uuid nor its name, person and time. */
export function meetingOf(one: MergeKey, other: MergeKey): Meeting | undefined {
  const isAlike = one.event === other.event && one.distinctId === other.distinctId
  const isAtOnce = instantsOf(one.timestamp).includes(instantsOf(other.timestamp)[0])
  if (one.uuid !== other.uuid) return isAlike && isAtOnce ? 'renamed' : undefined
  if (!isAlike) return 'apart'
  return isAtOnce ? 'merges' : 'moved'
}

/** A time to the microsecond, and as it is where it is kept to the millisecond only: `2024-03-01 12:34:56.789123`. */
export function instantsOf(text: string): readonly [string, string] {
  const [seconds, decimals = ''] = text.replace('T', ' ').replace('Z', '').split('.')
  const micros = `${seconds}.${decimals.padEnd(6, '0').slice(0, 6)}`
  return [micros, `${micros.slice(0, -3)}000`]
}
