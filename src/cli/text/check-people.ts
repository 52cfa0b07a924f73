import type { PeopleSeen } from '../../checks/people-seen.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { cutTo, visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'

/** So much of an id is shown. */
const MOST_COLUMNS = 24

/** How many people there will be, and which ids become one. */
export function peopleLines(people: PeopleSeen): string[] {
  const { distinctIds, persons, identityEvents, joins, anonymous, users, bothSides, largest, unfollowed } =
    people
  if (distinctIds === 0) return []
  if (identityEvents === 0) {
    return fold(
      `about ${plural(distinctIds, 'distinct id')}, a person each: no event joins two`,
      REMARK,
      '  people    ',
    )
  }
  const parts = [
    `about ${plural(distinctIds, 'distinct id')}, ${unfollowed > 0 ? 'at most ' : ''}about ${plural(persons, 'person')}`,
    `${plural(identityEvents, 'identity event')} with ${plural(anonymous, 'id')} to join to ${plural(users, 'user')}, of which ${number(joins)} will be joined`,
    ...(bothSides > 0 ? [`${plural(bothSides, 'id')} on both sides`] : []),
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

/** The same as JSON. */
export function peopleJson(people: PeopleSeen) {
  return {
    distinct_ids: people.distinctIds,
    persons: people.persons,
    identity_events: people.identityEvents,
    joined: people.joins,
    anonymous_ids: people.anonymous,
    users: people.users,
    both_sides: people.bothSides,
    not_followed: people.unfollowed,
    largest: people.largest,
  }
}
