import { formatInstant } from '../../record/time.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { MAX_GROUP_TYPES, type TypesFit, type TypeToSend, type YoungerType } from '../types-fit.ts'

/** An instant to the second: `2024-03-01T12:34:56Z`. */
export function secondText(instant: number): string {
  return `${formatInstant(instant).slice(0, 19)}Z`
}

/** Says that a project has no room for the group types. */
export function tooManyText(types: readonly string[]): string {
  const few = types.slice(0, 8).map(visible).join(', ')
  return (
    `the events and the project have ${number(types.length)} group types together, and a project has room for ` +
    `${MAX_GROUP_TYPES}: ${few}${types.length > 8 ? ', …' : ''}`
  )
}

/** Says which events would not show their group. */
export function youngerText({ type, since, oldest, hidden, atMost }: YoungerType): string {
  const name = visible(type)
  return (
    `${atMost ? 'up to ' : ''}${plural(hidden, 'event')} would not show their ${name}: the project shows this group type ` +
    `only on events from ${secondText(since)} on, and the oldest here is of ${secondText(oldest)}`
  )
}

/** What to do about them. */
export const HIDDEN_HINT =
  "ask PostHog's support to set created_at of the group type to the time of the oldest event, or import into a new " +
  'project; to import all the same, with events that never show their group, add --accept-hidden-groups'

/** Says that a type will be made. */
export function missingText({ type, events, oldest }: TypeToSend & { readonly type: string }): string {
  const name = visible(type)
  const made = `the project has no group type ${name} yet: import makes it first, as of ${secondText(oldest)}`
  if (events > 0) return made
  return (
    `${made}. There are only group events of it here, and events that are older than the type never show it: if ` +
    'there are such events, import them before these groups'
  )
}

/** What an import would do about group types: `null` where the project could not be asked. */
export function fitJson(fit: TypesFit | undefined) {
  return fit === undefined
    ? null
    : {
        too_many: fit.tooMany,
        younger: fit.younger.map(({ type, since, oldest, hidden, atMost }) => ({
          type,
          since: secondText(since),
          oldest: formatInstant(oldest),
          hidden,
          at_most: atMost,
        })),
        missing: fit.missing.map(({ type, events, oldest }) => ({
          type,
          events,
          oldest: formatInstant(oldest),
        })),
      }
}

/** All that is to be said before an import. */
export function fitTexts({ tooMany, younger, missing }: TypesFit): string[] {
  if (tooMany.length > 0) return [`${tooManyText(tooMany)}: an import stops`]
  const hint = younger.length > 0 ? [`an import stops; ${HIDDEN_HINT}`] : []
  return [...younger.map(youngerText), ...hint, ...missing.map(missingText)]
}
