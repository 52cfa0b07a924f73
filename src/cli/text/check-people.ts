import type { CheckResult } from '../../jobs/results.ts'
import { cutTo, fold, number, plural, REMARK, visible } from '../../text/index.ts'

/** So much of an id is shown. */
const MOST_COLUMNS = 24

/** How many people there will be, and which ids become one. */
export function peopleLines(people: CheckResult['people']): string[] {
  const { distinct_ids: ids, persons, identity_events: events, not_followed: unfollowed, largest } = people
  if (ids === 0) return []
  const some = `about ${plural(ids, 'distinct id')}`
  if (events === 0) return fold(`${some}, a person each: no event joins two`, REMARK, '  people    ')
  const parts = [
    `${some}, ${unfollowed > 0 ? 'at most ' : ''}about ${plural(persons, 'person')}`,
    `${plural(events, 'identity event')} with ${plural(people.anonymous_ids, 'id')} to join to ${plural(people.users, 'user')}, of which ${number(people.joined)} will be joined`,
    ...(people.both_sides > 0 ? [`${plural(people.both_sides, 'id')} on both sides`] : []),
    ...(unfollowed > 0 ? [`${plural(unfollowed, 'identity event')} of later ids were not followed`] : []),
  ]
  const large = largest
    .filter(({ ids }) => ids > 2)
    .map(({ id, ids }) => `${cutTo(visible(id), MOST_COLUMNS)} ${number(ids)} ids`)
  return [
    ...fold(parts.join('; '), REMARK, '  people    '),
    ...(large.length > 0 ? fold(`most ids: ${large.join(', ')}`, REMARK) : []),
  ]
}
