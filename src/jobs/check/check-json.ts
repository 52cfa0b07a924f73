import type {
  Check,
  CheckFinding,
  HeldThere,
  Inspection,
  MigrationPlan,
  PeopleSeen,
  ProjectAsked,
  QuotaThere,
} from '../../checks/index.ts'
import { planPersonsJson } from '../import/kept-persons.ts'
import { approvalRequest } from './approval-request.ts'
import { prerequisitesOf } from './prerequisites.ts'
import type { CheckResult } from './result.ts'

/** More names than these are counted only. */
const MOST_NAMES = 100

/** What a check has found, as its result says it. */
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

function peopleJson(people: PeopleSeen) {
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

/** What only the project's settings answer, since no key reads them: by a name for scripts. */
function questionsOf({ span: days }: MigrationPlan): CheckResult['questions'] {
  const oldest = days === undefined ? '' : ` The oldest event here is of ${days.first}.`
  return {
    drop_events_older_than: `Does it drop old events? With drop_events_older_than it answers as if it took them, and they are gone, historical ones too.${oldest}`,
    paid_plan: 'Is it in the US or EU cloud, on a paid product analytics plan? Only then is the import free.',
  }
}
