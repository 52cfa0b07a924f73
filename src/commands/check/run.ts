import type { MigrationPlan } from '../../checks/check-data.ts'
import { planOf } from '../../checks/check-data.ts'
import { findingJson, hasErrors, mayPass, worstFirst } from '../../checks/finding.ts'
import { fitOf, hiddenIn as hiddenGroups, sentOf } from '../../checks/groups-seen.ts'
import { problemsOf } from '../../checks/problems.ts'
import type { ProjectAsked } from '../../checks/project-side.ts'
import { findingsOfCheck } from '../../checks/words/problem-words.ts'
import { BATCH_BYTES } from '../../delivery/batcher.ts'
import { burstOf, capsOf, OPEN_EVENTS, OPEN_PER_MINUTE, youngSince } from '../../delivery/pacer.ts'
import { EXIT, type PosthaulError } from '../../errors.ts'
import { ACCEPT } from '../../guards/accept.ts'
import type { Unasked } from '../../guards/guard.ts'
import { guardFindings } from '../../guards/guards.ts'
import { ALL_REJECTED } from '../../guards/lines.ts'
import { GROUP_TYPES, groupInputOf, groupTypesThere } from '../../imports/group-input.ts'
import type { ImportInput } from '../../imports/import-order.ts'
import { inputOf, switchesFor } from '../../imports/import-order.ts'
import { foreseeLosses, lossesOfDataset, lossesOfFiles } from '../../imports/losses.ts'
import { projectThere } from '../../imports/project-there.ts'
import { sentOtherwise } from '../../imports/sent-before.ts'
import { statePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import {
  APPROVED,
  BATCH_EVENTS,
  LANES,
  MAX_EVENTS,
  MAX_EVENTS_PER_MINUTE,
} from '../../options/import-rows.ts'
import { flagOf, type Row } from '../../options/row.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { sum } from '../../text/lists.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { approvalRequest } from '../approval-request.ts'
import { datasetOf } from '../dataset-argument.ts'
import { requestsOf } from '../planned-requests.ts'
import { inspectDataset, inspectFiles } from './check-input.ts'
import type { CheckCall } from './index.ts'
import type { CheckResult } from './result.ts'

export { checkResult as schema } from './result.ts'
export { checkLines as lines } from './text.ts'

export const exit = ({ problems, passes }: CheckResult) =>
  !hasErrors(problems) ? EXIT.done : passes ? EXIT.paused : EXIT.rejects

/** Where text is printed, its last line says so. */
export function next(
  { problems, next_command: then }: CheckResult,
  { values }: CheckCall,
): readonly string[] {
  return values.json && hasErrors(problems) ? [`  mend the errors, then: ${then}`] : []
}

/** Reads the input once, and asks the project if a key is set. Sends nothing. */
export async function* run(call: CheckCall, io: Io): AsyncGenerator<CheckResult> {
  const {
    values,
    args: [argument],
  } = call
  const { lanes, approved, accept } = values
  const isOfFiles = values.file.length > 0 && argument === undefined
  const dataset = isOfFiles ? values.dataset : datasetOf(argument, values.dataset)
  const input = inputOf({ ...values, dataset })
  const { kind } = input
  const switches = switchesFor(input, values.with)
  // Caps that need approval are allowed here, so that a user sees what an approval would change.
  const caps = capsOf(call, true)
  const pace = { perMinute: caps.perMinute, lanes }
  const batchEvents = Math.min(values.batchEvents, burstOf(pace))
  const types = (await hasNoGroups(input)) ? {} : await groupTypesThere(call, io)
  // What the project does to events of files is counted as they are read.
  const isAsked = kind === 'file' && types.failure?.code !== 'unavailable'
  const losses = isAsked ? await foreseeLosses(call, io) : undefined
  const lost = losses && lossesOfFiles(losses)
  const since = types.types?.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const]))
  const requests = { lanes, limits: { events: batchEvents, bytes: BATCH_BYTES } }
  const progress = progressFor(io.telemetry)
  const from = { young: youngSince(Date.now()), types: new Map(since), requests }
  const pass = { from, interrupted: io.interrupted, progress }
  const inspecting =
    kind === 'file'
      ? inspectFiles(input.files, { bigIntegersAsStrings: false, switches }, pass, lost)
      : inspectDataset(dataset!, input.path, pass)
  const inspected = await inspecting.finally(progress.stop)
  const { name, about, subject, inspection, stock, importIds, reject, unnamed, dataset: made } = inspected
  const seen = inspection.groups
  const fit = types.types && fitOf(sentOf(seen), types.types, hiddenGroups(seen))
  const asking = { days: Object.keys(subject.days), importIds, dataset: made, failure: types.failure }
  const asked = await projectThere(call, asking, io)
  const { project, answerMs } = asked
  const options = { pace, batchEvents, maxEvents: caps.events, approved, answerMs }
  const plan = planOf(subject, inspection, options)
  const place = statePlace({ ...values, input: input.path }, io.env)
  const guarded = {
    unasked: unaskedOf(asked.failure, types.failure),
    sent: kind === 'dataset' ? await sentOtherwise(input.path, place) : undefined,
    held: project,
    quota: {
      there: project?.quota,
      events: plan.events,
      sent: sum((project?.days ?? []).map(({ own }) => own)),
    },
    ...(made && project && (await lossesOfDataset(made, project, io.interrupted))),
    ...lost?.facts(),
    lines: kind === 'file' ? { sent: plan.events, rejects: subject.rejects, example: reject } : undefined,
    uuids: { kind, ...inspection.uuids },
    groups: { named: [...seen.keys()], fit, unasked: !types.types && !types.failure },
  }
  const guards = guardFindings(guarded, accept)
  // Where no line can be sent, that says it all.
  const isNone = guards.some(({ code }) => code === ALL_REJECTED)
  const problems = problemsOf(plan, subject, { project: asked, reject, unnamed }).filter(
    ({ code }) => !(isNone && (code === 'empty' || code === 'many_rejects')),
  )
  const words = findingsOfCheck(problems, { ...inspected, plan, project: asked })
  const findings = worstFirst([...words, ...guards])
  const trial = made?.manifest.trial ? ['--trial', '<project>'] : []
  const next = hasErrors(findings)
    ? io.argv
    : ['import', ...inspected.words, ...trial, ...importFlags(call, plan)]
  const { people } = inspection
  yield {
    version: 1,
    command: 'check',
    dataset: name,
    about,
    events: plan.events,
    made_of: stock
      ? { records: stock.records, children: stock.children ?? null, events: stock.events }
      : null,
    bytes: plan.bytes,
    parts: plan.parts,
    days: plan.days,
    span: plan.span ?? null,
    names: { ...plan.names },
    other_names: plan.otherNames,
    seconds_at_cap: Math.ceil(plan.ms / 1000),
    requests: requestsOf(inspection.turns, plan.answerMs),
    caps: { events_per_minute: plan.perMinute, events: plan.maxEvents },
    lanes: plan.lanes,
    batch_events: plan.batchEvents,
    young_events: inspection.young.count,
    group_types: Object.fromEntries([...seen].map(([type, { named }]) => [type, named])),
    members: stock?.members ?? null,
    other_members: stock?.other_members ?? null,
    properties: stock?.properties ?? null,
    other_properties: stock?.other_properties ?? null,
    distinct_ids: stock?.distinct_ids ?? null,
    people: { distinct_ids: people.distinctIds, identity_events: people.identityEvents },
    project: projectJson(asked),
    unasked: asked.unasked ?? null,
    problems: findings.map(findingJson),
    questions: questionsOf(plan),
    approval_request: approvalRequest(plan, subject.source),
    passes: hasErrors(findings) && mayPass(findings),
    next_command: posthaulLine(next),
  }
}

/** What could not be asked; once, where both questions failed for one reason. */
function unaskedOf(project: PosthaulError | undefined, groups: PosthaulError | undefined): Unasked[] {
  return [
    ...(project ? [{ what: 'what the project has', error: project }] : []),
    ...(groups && groups.message !== project?.message ? [{ what: GROUP_TYPES, error: groups }] : []),
  ]
}

/** True if it is known before the events are read. */
async function hasNoGroups(input: ImportInput): Promise<boolean> {
  const { known } = await groupInputOf({ input, switches: [], bigIntegersAsStrings: false })
  return known?.size === 0
}

function projectJson({ project }: ProjectAsked): CheckResult['project'] {
  if (!project) return null
  const { id, name, isEmpty: empty, days, held = null, quota = null } = project
  return { id, name, empty, days, held, quota }
}

/** What only the project's settings answer, since no key reads them: by a name for scripts. */
function questionsOf({ span: days }: MigrationPlan): CheckResult['questions'] {
  const oldest = days === undefined ? '' : ` The oldest event here is of ${days.first}.`
  return {
    drop_events_older_than: `Does it drop old events? With drop_events_older_than it answers as if it took them, and they are gone, historical ones too.${oldest}`,
    paid_plan: 'Is it in the US or EU cloud, on a paid product analytics plan? Only then is the import free.',
  }
}

/** The options that `check` shares with import, as they were given, and those that the caps make necessary. */
function importFlags(
  { resolved, values }: CheckCall,
  { events, perMinute, maxEvents }: Pick<MigrationPlan, 'events' | 'perMinute' | 'maxEvents'>,
): string[] {
  const given = (row: Row, option: { source: string; value: string | number } | undefined) =>
    option?.source === 'cli' ? [flagOf(row), String(option.value)] : []
  const words = [
    ...given(MAX_EVENTS_PER_MINUTE, resolved.maxEventsPerMinute),
    ...given(LANES, resolved.lanes),
    ...given(BATCH_EVENTS, resolved.batchEvents),
    ...given(REGION, resolved.region),
    ...given(HOST, resolved.host),
    ...given(CONFIG, resolved.config),
  ]
  const most = Math.max(events, maxEvents)
  if (values.accept.length > 0) words.push(flagOf(ACCEPT), ...values.accept)
  if (events > maxEvents || resolved.maxEvents.source === 'cli') words.push(flagOf(MAX_EVENTS), String(most))
  if (perMinute > OPEN_PER_MINUTE || most > OPEN_EVENTS) words.push(flagOf(APPROVED))
  return words
}
