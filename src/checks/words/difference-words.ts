import type { SentDifference } from '../../delivery/sent-difference.ts'
import { MERGE_RULE } from '../../record/merging.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'

const MOST_PROPERTIES = 5

/** What became of events that were sent, a sentence a line. `sent`: how many, where nothing else is known of them. */
export function sentLines(found: SentDifference | undefined, sent: number): string[] {
  if (!found) {
    return [
      `whether the ${plural(sent, 'event')} sent are among those of now can't be told: up to all of them would be there twice`,
    ]
  }
  const { same, alike, twice, places } = found
  const lines = [
    `of ${plural(found.sent, 'event')} on the days that were sent, ${number(same)} are the same now; up to ${number(twice)} would be there twice`,
  ]
  const { moved, untimed } = found
  if (moved > 0) {
    lines.push(
      `of these, up to ${number(moved)} would be there twice because their times changed; id, name and person did not`,
      MERGE_RULE,
    )
  }
  if (alike > untimed) {
    lines.push(
      `${number(alike - untimed)} have other properties, and the same id, name, person and time: they merge`,
    )
  }
  if (untimed > 0) {
    lines.push(
      `${number(untimed)} have the same id, name and person, but other properties or times: they merge only where the time is the same`,
    )
  }
  if (places.length > 0) {
    const where = places.map(
      ({ day, event, count }) => `${day} ${event === null ? 'all names' : visible(event)} (${number(count)})`,
    )
    lines.push(`the first of those that differ: ${where.join(', ')}`)
  }
  const members = [...namesOf('only then', found.gone), ...namesOf('only now', found.added)]
  if (members.length > 0) lines.push(`properties: ${members.join('; ')}`)
  return lines
}

function namesOf(when: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const rest = names.length - MOST_PROPERTIES
  const some = names.slice(0, MOST_PROPERTIES).map(visible).join(', ')
  return [`${when} ${some}${rest > 0 ? ` and ${number(rest)} more` : ''}`]
}
