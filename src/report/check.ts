import type { Inspection } from '../audit/inspect.ts'
import type { MigrationPlan, MigrationSubject } from '../audit/migration-plan.ts'
import { type GroupsAsked, hasErrors, type Problem } from '../audit/problems.ts'
import { MAX_GROUP_TYPES } from '../audit/types-fit.ts'
import { OPEN_EVENTS, YOUNG_HOURS } from '../delivery/caps.ts'
import { MIXED_DAYS_TEXT } from '../delivery/notices.ts'
import type { PersonsPlan } from '../persons/persons-plan.ts'
import { MOST_NAMES } from '../record/name-table.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { APPROVAL_TODAY, approvalRequest } from './approval-request.ts'
import { continueCommand } from './command-line.ts'
import { fold, REMARK } from './fold.ts'
import { HIDDEN_HINT, missingText, youngerText } from './group-types.ts'
import { planLines, planPersonsJson } from './kept-persons.ts'
import { leftOutLines } from './left-out.ts'
import { questionLines, questionsOf } from './questions.ts'
import { topNames } from './summary.ts'
import { visible } from './visible.ts'
import { bytes, number, plural, span } from './words.ts'

/** What a dataset's manifest says of members and properties. */
type Stock = Pick<
  EventsManifest,
  | 'records'
  | 'children'
  | 'events'
  | 'members'
  | 'other_members'
  | 'properties'
  | 'other_properties'
  | 'distinct_ids'
>

/** What `check` has read: a dataset, or files of events. */
export interface Inspected {
  readonly name: string
  /** What the first line of the report says about it. */
  readonly about: string
  readonly subject: MigrationSubject
  readonly inspection: Inspection
  /** What the records held, and what the events hold; undefined for files, and for a manifest that does not know. */
  readonly stock: Stock | undefined
  /** The words of the command line that import it. */
  readonly words: readonly string[]
}

export interface Check extends Inspected {
  readonly plan: MigrationPlan
  readonly groups: GroupsAsked
  /** Undefined if nobody could be asked, and where the project has none of the persons. */
  readonly persons: PersonsPlan | undefined
  readonly problems: readonly Problem[]
  /** The words of the next command: the import, or another check if there are errors to mend first. */
  readonly next: readonly string[]
}

/** The report as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function checkJson({ name, subject, stock, plan, persons, problems }: Check) {
  const { inspection, names } = plan
  return {
    version: 1,
    command: 'check',
    dataset: name,
    events: plan.events,
    made_of: stock
      ? { records: stock.records, children: stock.children ?? null, events: stock.events }
      : null,
    bytes: plan.bytes,
    parts: plan.parts,
    days: plan.days,
    span: plan.span ?? null,
    names: { ...names },
    other_names: plan.otherNames,
    batches: plan.batches,
    seconds_at_cap: Math.ceil(plan.ms / 1000),
    caps: { events_per_minute: plan.perMinute, events: plan.maxEvents },
    lanes: plan.lanes,
    batch_events: plan.batchEvents,
    young_events: inspection.young,
    group_types: Object.fromEntries([...inspection.groups].map(([type, { named }]) => [type, named])),
    members: stock?.members ?? null,
    other_members: stock?.other_members ?? null,
    properties: stock?.properties ?? null,
    other_properties: stock?.other_properties ?? null,
    distinct_ids: stock?.distinct_ids ?? null,
    persons: planPersonsJson(persons),
    problems,
    questions: Object.fromEntries(questionsOf(plan)),
    approval_request: approvalRequest(plan, subject.source),
  }
}

/** The report for a person. */
export function checkReport(report: Check): string {
  const { name, about, subject, stock, plan, problems, next } = report
  const { events, inspection } = plan
  const lines = [
    visible(name),
    `  ${about}`,
    '',
    ...fold(
      `${number(events)} in ${plural(plan.days, 'day')}${days(plan)}, ${bytes(plan.bytes)} in ${plural(plan.parts, 'part')}`,
      REMARK,
      '  events    ',
    ),
  ]
  lines.push(...madeOfLines(stock))
  if (events > 0 && plan.otherNames < events)
    lines.push(...fold(topNames(plan.names), REMARK, '  top names '))
  lines.push(...otherNamesLines(plan))
  if (inspection.groups.size > 0) {
    lines.push(...fold(`of type ${listed([...inspection.groups.keys()])}`, REMARK, '  groups    '))
  }
  lines.push(...planLines(report.persons))
  if (stock) lines.push(...leftOutLines(stock, 'all of them are in manifest.json'))
  lines.push(
    `  time      at least ${span(plan.ms)}, at ${number(plan.perMinute)} events a minute`,
    `            at least ${plural(plan.batches, 'request')}, ${plan.lanes} at a time; none holds events of two days`,
    '  cost      none: historical migrations are free for projects on a paid plan',
    '',
    problems.length === 0
      ? 'No problems found.'
      : `${plural(problems.length, 'thing')} to know before you import:`,
  )
  for (const problem of problems) lines.push(...explainLines(problem, report))
  lines.push(
    '',
    ...questionLines(plan),
    '',
    'The service asks to approve a migration before it starts. Send a support request',
    'in the app, target area "Data Management", with this text:',
    '',
    ...approvalRequest(plan, subject.source)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    ...APPROVAL_TODAY,
    '',
    ...(hasErrors(problems) ? ['Mend the errors first: events that were sent cannot be taken back.'] : []),
    `Then: ${continueCommand(next)}`,
  )
  return `${lines.join('\n')}\n`
}

function rejectedOne(stock: Stock | undefined): string {
  return stock?.children ? 'rejected record or event' : 'rejected record'
}

/** Of how many records the events were made, where one becomes several. */
function madeOfLines(stock: Stock | undefined): string[] {
  if (!stock?.children) return []
  const { records, children, events } = stock
  const parts = [
    `made of ${number(records.mapped)} of ${plural(records.read, 'record')}`,
    ...(children.filtered > 0 ? [`${number(children.filtered)} filtered`] : []),
    ...(events.rejected > 0 ? [`${number(events.rejected)} rejected`] : []),
    ...(events.duplicate > 0 ? [`${number(events.duplicate)} duplicate`] : []),
    ...(events.earlier ? [`${number(events.earlier)} in earlier datasets`] : []),
  ]
  return fold(parts.join('; '), ' '.repeat(12), '            ')
}

/** Says that names were counted together. Those that are told apart have their exact counts. */
function otherNamesLines({ names, otherNames }: MigrationPlan): string[] {
  if (otherNames === 0) return []
  const apart = plural(Object.keys(names).length, 'name')
  const text = `too many names: ${apart} are told apart; ${plural(otherNames, 'event')} of other names are counted together`
  return fold(text, REMARK)
}

/** The first of the names. */
function listed(names: readonly string[]): string {
  return names.slice(0, 6).map(visible).join(', ') + (names.length > 6 ? ', …' : '')
}

function days({ span: of }: MigrationPlan): string {
  if (!of) return ''
  return of.first === of.last ? ` (${of.first})` : ` (${of.first} to ${of.last})`
}

function explainLines(problem: Problem, report: Check): string[] {
  const [first, ...more] = explain(problem, report)
  return [`${problem.level}: ${first}`, ...more].flatMap((line, at) =>
    fold(line, '  ', at === 0 ? '- ' : '  '),
  )
}

function explain(
  { kind, count, names = [] }: Problem,
  { plan, name, words, stock, groups: { fit, unasked = '' } }: Check,
): string[] {
  const n = number(count)
  const some = listed(names)
  const ofProject =
    fit && fit.tooMany.length > plan.inspection.groups.size ? ', with those of the project' : ''
  switch (kind) {
    case 'empty':
      return ['there are no events, so there is nothing to import']
    case 'volume':
      return [
        `${n} events: above 20,000,000 the service may slow an import`,
        'down unless its team has approved it',
      ]
    case 'speed':
      return [
        `${n} events a minute: above 10,000 the service may slow an`,
        'import down unless its team has approved it',
      ]
    case 'capped':
      return [
        `the volume cap stops the import ${plural(count, 'event')} before the end`,
        `raise it: --max-events ${plan.events}${plan.events > OPEN_EVENTS ? ' --approved' : ''}`,
      ]
    case 'old_events':
      return [
        `${plural(count, 'event')} from before 2005: ${some}`,
        'look at their records: most likely the wrong number was read as their time;',
        'leave them out with a mapping file (filter: from), or mend the source',
      ]
    case 'young_events':
      return [
        `${plural(count, 'event')} younger than ${YOUNG_HOURS} hours: they can be billed as live events`,
        'send them later, or leave them out (transform --map, with a filter by date)',
      ]
    case 'group_types':
      return [
        `${count < MOST_NAMES ? n : `at least ${n}`} group types${ofProject}, but a project has room for ${MAX_GROUP_TYPES}: ${some}`,
        `only groups of the first ${MAX_GROUP_TYPES} types to arrive are kept; leave the others out with a mapping file`,
      ]
    case 'hidden_groups':
      return [...(fit?.younger ?? []).map(youngerText), HIDDEN_HINT]
    case 'new_group_types':
      return (fit?.missing ?? []).map(missingText)
    case 'groups_unasked':
      return [unasked]
    case 'long_group_keys':
      return [
        `${plural(count, 'group event')} with a key of more than 400 characters: the service drops them`,
        'leave them out with a mapping file, or mend the source',
      ]
    case 'big_integers':
      return [
        `integers over 2^53, which the service rounds, in ${some}`,
        `${words[0] === '--file' ? 'import' : 'make the dataset again'} with --big-integers string to keep their digits`,
      ]
    case 'rejects':
      return [
        words[0] === '--file'
          ? `${plural(count, 'line')} will be rejected; import --dry-run says why`
          : `${plural(count, rejectedOne(stock))} left out; the reason for each is in ${name.replace(/\/$/, '')}/rejects.ndjson`,
      ]
    case 'mixed_days':
      return [MIXED_DAYS_TEXT]
    case 'bad_lines':
      return [
        `${plural(count, 'line')} of the dataset ${count === 1 ? 'is no event line' : 'are no event lines'}, or ${count === 1 ? 'has' : 'have'} a time that is none: import will reject ${count === 1 ? 'it' : 'them'}`,
        'transform writes no such lines; look at what made the dataset',
      ]
    case 'odd_sessions':
      return [
        `${plural(count, 'event')} with a $session_id that web analytics ignores: it takes a UUID of version 7 whose time is at most 24 hours before the event`,
        'nothing is lost: such an event is only in no session',
      ]
    case 'event_names_cut':
      return [
        `${plural(count, 'event name')} of more than 200 bytes: cut there, as the service would cut them`,
      ]
    case 'ids_trimmed':
      return [`${plural(count, 'id')} with blanks around: without them, one person is not taken for two`]
    case 'dropped_events':
      return [`${plural(count, 'event')} named ${some}: the service accepts such events and drops them`]
    case 'forced_merges':
      return [`${plural(count, 'event')} named ${some}: such events merge persons for good`]
  }
}
