import type { Check, MigrationPlan } from '../../checks/check-data.ts'
import { findingJson } from '../../checks/finding.ts'
import type { HeldThere, ProjectAsked, QuotaThere } from '../../checks/project-side.ts'
import { projectName } from '../../checks/words/of-service.ts'
import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/pacer.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { visible } from '../../text/visible.ts'
import { plural } from '../../text/words.ts'
import { approvalRequest } from '../approval-request.ts'
import { plannedPersons } from '../planned-persons.ts'
import type { CheckResult } from './result.ts'

/** What a check has found, as its result says it. */
export function checkOf(
  check: Check,
  { passes, next }: { readonly passes: boolean; readonly next: readonly string[] },
): CheckResult {
  const { name, subject, stock, plan, persons, findings, project } = check
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
    persons: plannedPersons(persons),
    people: {
      distinct_ids: inspection.people.distinctIds,
      identity_events: inspection.people.identityEvents,
    },
    project: projectJson(project),
    unasked: project.unasked ?? null,
    problems: findings.map(findingJson),
    prerequisites: prerequisitesOf(check),
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

/** Something that the service asks for before a migration, or advises. `how` posthaul knows the state, or what to do. */
type Prerequisite = CheckResult['prerequisites'][number]

/** The five prerequisites of the service in its order, then what it advises. Pure. */
function prerequisitesOf(check: Check): Prerequisite[] {
  return [
    required('project', 'a project in the US or EU cloud', projectState(check)),
    required('paid_plan', 'a paid product analytics plan', [
      'unknown',
      'no key can read it: look at the billing page of the organization; the import stays free',
    ]),
    required('support_request', 'a support request that says origin, method, volume and speed', [
      'unknown',
      'whether it was sent is known to you alone; the text is below',
    ]),
    required('approval', "the approval of the service's team", approvalState(check)),
    required('historical_migration', 'historical_migration set on every event', [
      'done',
      'import sets it to true in every request',
    ]),
    advised('clean_data', "the data is as it shall be: sent events can't be taken back", cleanState(check)),
    advised('stages_apart', 'export kept apart from import, and both go on where they stopped', [
      'done',
      'what is imported lies in files, and import keeps a checkpoint',
    ]),
    advised('test_project', 'tested on a new project first', testState(check)),
  ]
}

type Answer = readonly [state: Prerequisite['state'], how: string]

function required(name: string, text: string, [state, how]: Answer): Prerequisite {
  return { name, required: true, state, text, how }
}

function advised(name: string, text: string, [state, how]: Answer): Prerequisite {
  return { name, required: false, state, text, how }
}

function projectState({ project: { project, unasked }, target: { origin, isCloud } }: Check): Answer {
  if (origin !== undefined && !isCloud) return ['unknown', `${origin} is no address of PostHog's cloud`]
  if (project) return ['done', `${projectName(project)}, which the personal key sees at ${origin}`]
  if (unasked !== undefined) return ['unknown', `the project could not be asked`]
  return ['unknown', 'no personal key is set, so nobody looked for it']
}

function approvalState({ plan: { events, perMinute } }: Check): Answer {
  return events > OPEN_EVENTS || perMinute > OPEN_PER_MINUTE
    ? ['open', 'import takes these caps only with --approved, which says that you have it']
    : ['unknown', 'no key can read it: wait for the answer to your request']
}

function cleanState({ findings }: Check): Answer {
  const [errors, warnings] = ['error', 'warning'].map(
    (wanted) => findings.filter(({ level }) => level === wanted).length,
  )
  if (errors! > 0) return ['open', `mend ${plural(errors!, 'error')} above`]
  if (warnings! > 0) return ['open', `look at ${plural(warnings!, 'warning')} above, and decide`]
  return ['done', 'check found no error and no warning']
}

function testState({ project: { project } }: Check): Answer {
  if (!project) return ['unknown', 'import into a new project first, or into posthaul sandbox']
  if (project.isEmpty)
    return ['done', `${visible(project.name)} is new: it has no event yet, so this can be the test`]
  const own = project.days.reduce((sum, day) => sum + day.own, 0)
  return own > 0
    ? [
        'unknown',
        `${visible(project.name)} has events of this import already; whether it is the test is known to you`,
      ]
    : ['open', `${visible(project.name)} has events already, so import into a new project first`]
}
