import type { Inspection } from '../audit/inspect.ts'
import type { MigrationPlan, MigrationSubject } from '../audit/migration-plan.ts'
import { hasErrors, MAX_GROUP_TYPES, type Problem } from '../audit/problems.ts'
import { OPEN_EVENTS, YOUNG_HOURS } from '../delivery/caps.ts'
import type { EventsManifest } from '../store/manifest.ts'
import { approvalRequest } from './approval-request.ts'
import { continueCommand } from './command-line.ts'
import { fold } from './fold.ts'
import { leftOutLines } from './left-out.ts'
import { topNames } from './summary.ts'
import { visible } from './visible.ts'
import { bytes, number, plural, span } from './words.ts'

/** What a dataset's manifest says of members and properties. */
type Stock = Pick<
  EventsManifest,
  'members' | 'other_members' | 'properties' | 'other_properties' | 'distinct_ids'
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
  readonly problems: readonly Problem[]
  /** The words of the next command: the import, or another check if there are errors to mend first. */
  readonly next: readonly string[]
}

/** The report as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function checkJson({ name, subject, stock, plan, problems }: Check) {
  const { inspection, names } = plan
  return {
    version: 1,
    command: 'check',
    dataset: name,
    events: plan.events,
    bytes: plan.bytes,
    parts: plan.parts,
    days: plan.days,
    span: plan.span ?? null,
    names: { ...names },
    batches: plan.batches,
    seconds_at_cap: Math.ceil(plan.ms / 1000),
    caps: { events_per_minute: plan.perMinute, events: plan.maxEvents },
    lanes: plan.lanes,
    batch_events: plan.batchEvents,
    young_events: inspection.young,
    group_types: Object.fromEntries(inspection.groupTypes),
    members: stock?.members ?? null,
    other_members: stock?.other_members ?? null,
    properties: stock?.properties ?? null,
    other_properties: stock?.other_properties ?? null,
    distinct_ids: stock?.distinct_ids ?? null,
    problems,
    approval_request: approvalRequest(plan, subject.source),
  }
}

/** The report for a person. */
export function checkReport(report: Check): string {
  const { name, about, subject, stock, plan, problems, next } = report
  const { events, inspection } = plan
  const lines = [
    `${name}, ${about}`,
    '',
    `  events    ${number(events)} in ${plural(plan.days, 'day')}${days(plan)}, ${bytes(plan.bytes)} in ${plural(plan.parts, 'part')}`,
  ]
  if (events > 0) lines.push(`  top names ${topNames(plan.names)}`)
  if (inspection.groupTypes.size > 0) {
    lines.push(`  groups    of type ${[...inspection.groupTypes.keys()].map(visible).join(', ')}`)
  }
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
    'The service asks to approve a migration before it starts. Send a support request',
    'in the app, target area "Data Management", with this text:',
    '',
    ...approvalRequest(plan, subject.source)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    ...(hasErrors(problems) ? ['Mend the errors first: events that were sent cannot be taken back.'] : []),
    `Then: ${continueCommand(next)}`,
  )
  return `${lines.join('\n')}\n`
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

function explain({ kind, count, names = [] }: Problem, { plan, name, words }: Check): string[] {
  const n = number(count)
  const listed = names.slice(0, 6).map(visible).join(', ') + (names.length > 6 ? ', …' : '')
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
        `${plural(count, 'event')} from before 2005: ${listed}`,
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
        `${n} group types, but a project has room for ${MAX_GROUP_TYPES}: ${listed}`,
        `only groups of the first ${MAX_GROUP_TYPES} types to arrive are kept; leave the others out with a mapping file`,
      ]
    case 'long_group_keys':
      return [
        `${plural(count, 'group event')} with a key of more than 400 characters: the service drops them`,
        'leave them out with a mapping file, or mend the source',
      ]
    case 'big_integers':
      return [
        `integers over 2^53, which the service rounds, in ${listed}`,
        `${words[0] === '--file' ? 'import' : 'make the dataset again'} with --big-integers string to keep their digits`,
      ]
    case 'rejects':
      return [
        words[0] === '--file'
          ? `${plural(count, 'line')} will be rejected; import --dry-run says why`
          : `${plural(count, 'rejected record')} left out; the reason for each is in ${name.replace(/\/$/, '')}/rejects.ndjson`,
      ]
    case 'dropped_events':
      return [`${plural(count, 'event')} named ${listed}: the service accepts such events and drops them`]
    case 'forced_merges':
      return [`${plural(count, 'event')} named ${listed}: such events merge persons for good`]
  }
}
