import { keys } from '../record/keys.ts'
import type { Members } from '../record/members.ts'
import { type Into, LEFT_OUT, sentFate } from './fates.ts'
import type { MemberCounts } from './member-counts.ts'

/** Moves all properties to the person; nowhere, which is counted, when the user drops what is told of persons. */
export function describePerson(
  { properties, toSet, toSetOnce }: Record<'properties' | 'toSet' | 'toSetOnce', Members>,
  scope: Into | undefined,
  counts: MemberCounts,
): void {
  const person = scope === 'set' ? toSet : toSetOnce
  properties.visit((key, source, start, end) => {
    counts.lose(
      'property',
      key,
      scope === undefined ? LEFT_OUT.person : sentFate(scope, keys.text(key), false),
    )
    if (scope !== undefined) person.put(key, source, start, end)
  })
  properties.clear()
}
