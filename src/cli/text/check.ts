import type { Check, Stock } from '../../checks/check-data.ts'
import { type CheckFinding, hasErrors } from '../../checks/finding.ts'
import type { Inspection } from '../../checks/inspect.ts'
import type { MigrationPlan } from '../../checks/migration-plan.ts'
import { type HeldThere, leftOf, type ProjectAsked, type QuotaThere } from '../../checks/project-side.ts'
import { projectName } from '../../checks/words/of-service.ts'
import { listed } from '../../checks/words/wording.ts'
import { APPROVAL_TODAY, approvalRequest } from '../../jobs/check/approval-request.ts'
import { planLines, planPersonsJson } from '../../jobs/import/kept-persons.ts'
import type { CheckResult } from '../../jobs/results.ts'
import { topNames } from '../../jobs/summary.ts'
import { continueCommand } from '../../text/command-line.ts'
import { fold, REMARK } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes, number, plural, span } from '../../text/words.ts'
import { peopleJson, peopleLines } from './check-people.ts'
import { findingCounts } from './doctor.ts'
import { leftOutLines } from './left-out.ts'
import { prerequisiteLines, prerequisitesOf } from './prerequisites.ts'
import { questionLines, questionsOf } from './questions.ts'

/** More names than these are counted only. */
const MOST_NAMES = 100

/** The report as JSON, `version` 1; docs/exit-codes-and-json.md has its shape. */
export function checkJson(check: Check): CheckResult {
  const { name, subject, stock, plan, persons, findings, project } = check
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
    caps: { events_per_minute: plan.perMinute, events: plan.maxEvents, events_per_id: plan.perId },
    busy_ids: busyJson(inspection.busy),
    lanes: plan.lanes,
    batch_events: plan.batchEvents,
    young_events: inspection.young.count,
    group_types: Object.fromEntries([...inspection.groups].map(([type, { named }]) => [type, named])),
    members: stock?.members ?? null,
    other_members: stock?.other_members ?? null,
    properties: stock?.properties ?? null,
    other_properties: stock?.other_properties ?? null,
    distinct_ids: stock?.distinct_ids ?? null,
    persons: planPersonsJson(persons),
    people: peopleJson(inspection.people),
    project: projectJson(project),
    unasked: project.unasked ?? null,
    problems: findings.map(problemJson),
    prerequisites: prerequisitesOf(check),
    questions: questionsOf(plan),
    approval_request: approvalRequest(plan, subject.source),
  }
}

function busyJson({ ids, extraMs }: Inspection['busy']) {
  return {
    seconds: Math.ceil(extraMs / 1000),
    ids: ids.map(({ id, events, day, dayEvents }) => ({ id, events, day, day_events: dayEvents })),
  }
}

/** The report for a person. */
export function checkReport(report: Check): string {
  const { name, about, subject, stock, plan, findings, next } = report
  const { events, inspection } = plan
  const lines = [
    visible(name),
    `  ${about}`,
    `  ${findings.length === 0 ? 'no problems found' : `found: ${findingCounts(findings)}`}`,
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
  lines.push(...peopleLines(inspection.people), ...planLines(report.persons))
  lines.push(...projectLines(report.project, plan.days))
  if (stock) lines.push(...leftOutLines(stock, 'all of them are in manifest.json'))
  lines.push(
    `  time      at least ${span(plan.ms)}, at ${number(plan.perMinute)} events a minute`,
    `            at least ${plural(plan.batches, 'request')}, ${plan.lanes} at a time; none holds events of two days`,
    '  cost      none: historical migrations are free for projects on a paid plan',
    '',
    findings.length === 0
      ? 'No problems found.'
      : `${plural(findings.length, 'thing')} to know before you import:`,
    ...findings.flatMap(problemLines),
  )
  lines.push(
    '',
    ...prerequisiteLines(report),
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
    ...(hasErrors(findings) ? ['Mend the errors first: events that were sent cannot be taken back.'] : []),
    `Then: ${continueCommand(next)}`,
  )
  return `${lines.join('\n')}\n`
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

function days({ span: of }: MigrationPlan): string {
  if (!of) return ''
  return of.first === of.last ? ` (${of.first})` : ` (${of.first} to ${of.last})`
}

function problemLines({ level, text, example, remedy }: CheckFinding): string[] {
  return [
    ...fold(`${level}: ${text}`, '  ', '- '),
    ...(example === undefined ? [] : fold(`e.g. ${visible(example)}`, '    ', '  ')),
    ...(remedy === undefined ? [] : fold(remedy, '    ', '  > ')),
  ]
}

function problemJson({ kind, level, count, names, text, example, remedy, places }: CheckFinding) {
  return {
    kind,
    level,
    count,
    names: names?.slice(0, MOST_NAMES) ?? [],
    text,
    example: example ?? null,
    remedy: remedy ?? null,
    places: places?.slice(0, MOST_NAMES) ?? [],
  }
}

/** What the project has of these days. */
function projectLines({ project, unasked }: ProjectAsked, days: number): string[] {
  const head = '  project   '
  if (!project) {
    const why =
      unasked === undefined ? 'not asked: no personal key is set' : 'not known: it could not be asked'
    return fold(why, REMARK, head)
  }
  const events = project.days.reduce((sum, day) => sum + day.events, 0)
  const has = project.isEmpty
    ? 'it has no event yet'
    : events === 0
      ? `it has events, and none on ${days === 1 ? 'this day' : 'these days'}`
      : `it has ${plural(events, 'event')} on ${number(project.days.length)} of ${plural(days, 'day')}`
  const left = leftOf(project.quota)
  const quota =
    left === undefined
      ? ''
      : `; ${plural(left, 'event')} of its quota in this period ${left === 1 ? 'is' : 'are'} left`
  return fold(`${projectName(project)}: ${has}${quota}`, REMARK, head)
}

function projectJson({ project }: ProjectAsked) {
  if (!project) return null
  const { id, name, isEmpty, days, held, quota } = project
  return {
    id,
    name,
    empty: isEmpty,
    days,
    held: held ? heldJson(held) : null,
    quota: quota ? quotaJson(quota) : null,
  }
}

function heldJson({ places, ...asked }: HeldThere) {
  return {
    places: places.map(({ day, event, importId, source, count }) => {
      return { day, event, import_id: importId, source, count }
    }),
    ...asked,
  }
}

function quotaJson({ limited, usage, limit }: QuotaThere) {
  return { limited, usage, limit }
}
