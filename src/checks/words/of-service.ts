import { MERGE_RULE } from '../../record/merging.ts'
import { isTrialId } from '../../record/notes.ts'
import { formatInstant } from '../../record/time.ts'
import type { Quota } from '../../service/event-quota.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'
import { type HeldThere, leftOf, othersOf, type ProjectSide } from '../project-side.ts'
import { byDocument, byProject, mappingLine, sentences, type Wording } from './wording.ts'

/** What is said of groups, of people, and of the project. */
export const SERVICE_WORDS = {
  nobody_ids: byDocument.warning(({ count, some }) => ({
    text: `${plural(count, 'event')} of ids that stand for nobody: ${some}; the service makes no person of some of these ids, and one person of all who share the others`,
    remedy: mappingLine('fields: { distinct_id: <a better place> }'),
  })),
  project_in_use: byProject.warning(({ count, some, names, check: { project } }) => ({
    text: `the project ${projectName(project.project)} has ${plural(count, 'event')} that ${count === 1 ? 'is' : 'are'} not of this import on ${number(names.length)} of these days: ${some}`,
    remedy: `if they are the same history it will be there twice: import into a new project, or leave these days out, ${mappingLine(`filter: { to: ${names[0]} }`)}`,
  })),
  already_imported: byProject.note(({ count }) => ({
    text: `${plural(count, 'event')} of this import ${count === 1 ? 'is' : 'are'} in the project already; what is sent again merges only where all agree: ${MERGE_RULE}`,
    remedy: 'posthaul verify says which are missing',
  })),
} satisfies Record<string, Wording>

/** `"Acme" (12)` */
export function projectName(project: { readonly name: string; readonly id: string } | undefined): string {
  return project ? `"${visible(project.name)}" (${visible(project.id)})` : ''
}

/** What the project holds of an input's days that an import would set its events beside, a sentence a line. */
export function othersLines(side: Pick<ProjectSide, 'days' | 'held'>): string[] {
  const { days, held } = side
  if (!held) return []
  const others = othersOf(side)
  const on = days.filter((day) => day.others > 0).length
  const places = held.places.map(({ day, event, count }) => `${day} ${visible(event)} (${number(count)})`)
  const neither = days.reduce((sum, day) => sum + day.events - day.own - day.others, 0)
  return sentences(
    others > 0 &&
      `${plural(others, 'event')} of another import${markOf(held)} ${others === 1 ? 'is' : 'are'} there on ${plural(on, 'day')}: most of ${places.join(', ')}`,
    held.places.some(({ import_id }) => isTrialId(import_id)) &&
      'a trial of these events is among them: import the whole into another project',
    ...meetingLines(held),
    neither > 0 &&
      `besides, ${plural(neither, 'event')} of these days ${neither === 1 ? 'is' : 'are'} live ones, or of other windows of this history`,
  )
}

function markOf({ places }: HeldThere): string {
  const [first] = places
  if (!first) return ''
  const names = [first.source, first.import_id].filter((name) => name !== '').map(visible)
  return ` (${names.join(', ')})`
}

/** Whether they would merge, by those events of the input that were looked for. */
function meetingLines({ asked, merges, moved, apart, renamed }: HeldThere): string[] {
  const of = `of ${plural(asked, 'event')} looked for`
  const counts = sentences(
    merges > 0 && `${number(merges)} would merge with what is there`,
    moved > 0 && `${number(moved)} would be there twice, because their times differ`,
    apart > 0 && `${number(apart)} would be there twice, under another name or person`,
    renamed > 0 && `${number(renamed)} would be there twice, because their uuids differ`,
  )
  if (counts.length === 0)
    return [`${of} none is there: if these are the same facts, they would be there twice`]
  return sentences(`${of}, ${counts.join(', ')}`, moved > 0 && MERGE_RULE)
}

export const OVER_QUOTA = 'over quota, the service says Ok and drops events: look at the billing page'

export function overText({ usage, limit }: Quota): string {
  const standing =
    usage === null || limit === null ? '' : ` (${number(usage)} of ${number(limit)} in this period)`
  return `the project is over its quota of events${standing}`
}

/** What hides events that are older than a project shows. */
export function hiddenBy({ months }: { readonly months: number }): string {
  return `hidden by the project's retention (${plural(months, 'month')})`
}

/** What is said of events that nobody could ask for. */
export function hiddenText(hidden: {
  readonly events: number
  readonly days: number
  readonly months: number
  readonly shown_from: string
}): string {
  const { events, days, shown_from: from } = hidden
  const [are, were] = events === 1 ? ['is', 'it was'] : ['are', 'they were']
  return `${plural(events, 'event')} of ${plural(days, 'day')} before ${from} ${are} ${hiddenBy(hidden)}: ${were} not asked for`
}

/** True where the project hides all events: there is nothing else to prove, and nothing is wrong. */
export function isAllHidden(verified: {
  readonly hidden: object | null
  readonly events: { readonly here: number; readonly apart: number }
  readonly differences: readonly unknown[]
  readonly unreadable: number
}): boolean {
  const { hidden, events, differences, unreadable } = verified
  return hidden !== null && events.here + events.apart + differences.length + unreadable === 0
}

export const ALL_HIDDEN = 'nothing to compare: the project hides all of these events'

/** What of a project's rules could not be read. */
export function unreadText(unread: readonly string[]): string {
  return `this personal key could not read everything that may drop or change events: ${unread.join(', ')}`
}

/** Says how many of the needed events are beyond the rest of the quota. */
export function shortText(quota: Quota, beyond: number): string {
  const left = leftOf(quota) ?? 0
  return `the import needs ${number(left + beyond)} events, and ${number(left)} are left of the project's quota in this period: beyond it the service drops events`
}

/** An instant to the second: `2024-03-01T12:34:56Z`. */
export function secondText(instant: number): string {
  return `${formatInstant(instant).slice(0, 19)}Z`
}
