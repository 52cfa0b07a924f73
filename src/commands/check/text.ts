import { hasErrors } from '../../checks/finding.ts'
import { leftOf } from '../../checks/project-side.ts'
import { projectName } from '../../checks/words/of-service.ts'
import { listed } from '../../checks/words/wording.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes, number, plural } from '../../text/words.ts'
import { APPROVAL_TODAY } from '../approval-request.ts'
import { leftOutLines } from '../left-out.ts'
import { findingCounts, labelled, topNames } from '../lines.ts'
import { leastTimeText } from '../planned-requests.ts'
import type { CheckResult } from './result.ts'

/** The report for a person. */
export function checkLines(result: CheckResult): string[] {
  const { events, problems, members, other_members } = result
  const groups = Object.keys(result.group_types)
  const lines = [
    visible(result.dataset),
    `  ${result.about}`,
    `  ${problems.length === 0 ? 'no problems found' : `found: ${findingCounts(problems)}`}`,
    '',
    ...labelled(
      'events',
      `${number(events)} in ${plural(result.days, 'day')}${days(result)}, ${bytes(result.bytes)} in ${plural(result.parts, 'part')}`,
    ),
  ]
  lines.push(...madeOfLines(result.made_of))
  if (events > 0 && result.other_names < events) lines.push(...labelled('top names', topNames(result.names)))
  lines.push(...otherNamesLines(result))
  if (groups.length > 0) lines.push(...labelled('groups', `of type ${listed(groups)}`))
  lines.push(...peopleLines(result.people), ...projectLines(result))
  if (members && other_members)
    lines.push(...leftOutLines({ members, other_members }, 'all of them are in manifest.json'))
  lines.push(
    ...labelled('time', leastTimeText(result, result.caps.events_per_minute)),
    '  cost      none: historical migrations are free for projects on a paid plan',
    '',
    problems.length === 0
      ? 'No problems found.'
      : `${plural(problems.length, 'thing')} to know before you import:`,
    ...problems.flatMap(problemLines),
  )
  lines.push(
    '',
    ...PREREQUISITES,
    '',
    'No key can read this setting of your project, so look yourself:',
    // The plan is among the prerequisites.
    ...fold(result.questions.drop_events_older_than, '  ', '- '),
    '',
    'The service asks to approve a migration before it starts. Send a support request',
    'in the app, target area "Data Management", with this text:',
    '',
    ...result.approval_request.split('\n').map((line) => `  ${line}`),
    '',
    ...APPROVAL_TODAY,
    '',
    ...(hasErrors(problems) ? ['Mend the errors first: events that were sent cannot be taken back.'] : []),
    `Then: ${result.next_command}`,
  )
  return lines
}

/** Of how many records the events were made, where one becomes several. */
function madeOfLines(made: CheckResult['made_of']): string[] {
  if (!made?.children) return []
  const { records, children, events } = made
  const parts = [
    `made of ${number(records.mapped)} of ${plural(records.read, 'record')}`,
    ...(children.filtered > 0 ? [`${number(children.filtered)} filtered`] : []),
    ...(events.rejected > 0 ? [`${number(events.rejected)} rejected`] : []),
    ...(events.duplicate > 0 ? [`${number(events.duplicate)} duplicate`] : []),
    ...(events.earlier ? [`${number(events.earlier)} in earlier datasets`] : []),
  ]
  return fold(parts.join('; '), REMARK)
}

/** Says that names were counted together. Those that are told apart have their exact counts. */
function otherNamesLines({ names, other_names: others }: CheckResult): string[] {
  if (others === 0) return []
  const apart = plural(Object.keys(names).length, 'name')
  const text = `too many names: ${apart} are told apart; ${plural(others, 'event')} of other names are counted together`
  return fold(text, REMARK)
}

function days({ span: of }: CheckResult): string {
  if (!of) return ''
  return of.first === of.last ? ` (${of.first})` : ` (${of.first} to ${of.last})`
}

function problemLines({ level, text, example, remedy }: CheckResult['problems'][number]): string[] {
  return [
    ...fold(`${level}: ${text}`, '  ', '- '),
    ...(example === null ? [] : fold(`e.g. ${visible(example)}`, '    ', '  ')),
    ...(remedy === null ? [] : fold(remedy, '    ', '  > ')),
  ]
}

/** What the project has of these days. */
function projectLines({ project, unasked, days }: CheckResult): string[] {
  if (!project) {
    const why = unasked === null ? 'not asked: no personal key is set' : 'not known: it could not be asked'
    return labelled('project', why)
  }
  const events = project.days.reduce((sum, day) => sum + day.events, 0)
  const has = project.empty
    ? 'it has no event yet'
    : events === 0
      ? `it has events, and none on ${days === 1 ? 'this day' : 'these days'}`
      : `it has ${plural(events, 'event')} on ${number(project.days.length)} of ${plural(days, 'day')}`
  const left = leftOf(project.quota ?? undefined)
  const quota =
    left === undefined
      ? ''
      : `; ${plural(left, 'event')} of its quota in this period ${left === 1 ? 'is' : 'are'} left`
  return labelled('project', `${projectName(project)}: ${has}${quota}`)
}

/** How many people there will be, and which ids become one. */
function peopleLines({ distinct_ids: ids, identity_events: events }: CheckResult['people']): string[] {
  if (ids === 0) return []
  const joins = events === 0 ? 'no event joins two' : `${plural(events, 'event')} join two`
  return labelled('people', `about ${plural(ids, 'distinct id')}: ${joins}`)
}

/** What the service asks for before a migration, in its order, and what it advises. */
const PREREQUISITES = [
  'PostHog asks for these before a migration, in this order:',
  '1. a project in the US or EU cloud',
  '2. a paid product analytics plan: no key can read it; the import stays free',
  '3. a support request with origin, method, volume and speed: the text below',
  "4. the approval of the service's team: no key can read it, so wait for it",
  '5. historical_migration on every event: import sets it in every request',
  'It advises to test on a new project first; posthaul sandbox is one, too.',
]
