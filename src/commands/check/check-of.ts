import type { Check, MigrationPlan } from '../../checks/check-data.ts'
import { findingJson } from '../../checks/finding.ts'
import type { HeldThere, ProjectAsked } from '../../checks/project-side.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { approvalRequest } from '../approval-request.ts'
import { requestsOf } from '../planned-requests.ts'
import type { CheckResult } from './result.ts'

/** What a check has found, as its result says it. */
export function checkOf(
  check: Check,
  { passes, next }: { readonly passes: boolean; readonly next: readonly string[] },
): CheckResult {
  const { name, subject, stock, plan, findings, project } = check
  const { inspection, names } = plan
  return {
    version: 1,
    command: 'check',
    dataset: name,
    about: check.about,
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
    seconds_at_cap: Math.ceil(plan.ms / 1000),
    requests: requestsOf(inspection.turns, plan.answerMs),
    caps: { events_per_minute: plan.perMinute, events: plan.maxEvents },
    lanes: plan.lanes,
    batch_events: plan.batchEvents,
    young_events: inspection.young.count,
    group_types: Object.fromEntries([...inspection.groups].map(([type, { named }]) => [type, named])),
    members: stock?.members ?? null,
    other_members: stock?.other_members ?? null,
    properties: stock?.properties ?? null,
    other_properties: stock?.other_properties ?? null,
    distinct_ids: stock?.distinct_ids ?? null,
    people: {
      distinct_ids: inspection.people.distinctIds,
      identity_events: inspection.people.identityEvents,
    },
    project: projectJson(project),
    unasked: project.unasked ?? null,
    problems: findings.map(findingJson),
    questions: questionsOf(plan),
    approval_request: approvalRequest(plan, subject.source),
    passes,
    next_command: posthaulLine(next),
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
    quota: quota ?? null,
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

/** What only the project's settings answer, since no key reads them: by a name for scripts. */
function questionsOf({ span: days }: MigrationPlan): CheckResult['questions'] {
  const oldest = days === undefined ? '' : ` The oldest event here is of ${days.first}.`
  return {
    drop_events_older_than: `Does it drop old events? With drop_events_older_than it answers as if it took them, and they are gone, historical ones too.${oldest}`,
    paid_plan: 'Is it in the US or EU cloud, on a paid product analytics plan? Only then is the import free.',
  }
}
