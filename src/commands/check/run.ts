import { planOf } from '../../checks/check-data.ts'
import { hasErrors, mayPass, worstFirst } from '../../checks/finding.ts'
import { fitOf, hiddenIn as hiddenGroups, sentOf } from '../../checks/groups-seen.ts'
import { problemsOf } from '../../checks/problems.ts'
import { findingsOfCheck } from '../../checks/words/problem-words.ts'
import { youngSince } from '../../delivery/pacer.ts'
import { EXIT, type PosthaulError } from '../../errors.ts'
import type { Unasked } from '../../guards/guard.ts'
import { guardFindings } from '../../guards/guards.ts'
import { ALL_REJECTED } from '../../guards/lines.ts'
import { GROUP_TYPES, groupInputOf, groupTypesThere } from '../../imports/group-input.ts'
import type { ImportInput } from '../../imports/import-order.ts'
import { foreseeLosses, LossesOfFiles, lossesOfDataset } from '../../imports/losses.ts'
import { projectThere } from '../../imports/project-there.ts'
import { sentOtherwise } from '../../imports/sent-before.ts'
import { statePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { progressFor } from '../../telemetry/progress.ts'
import { sum } from '../../text/lists.ts'
import { inspectDataset, inspectFiles } from './check-input.ts'
import { checkOf } from './check-of.ts'
import type { CheckCall } from './index.ts'
import { type CheckOrder, checkOrder, importFlags } from './order.ts'
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
  const order = checkOrder(call)
  const { input, pace, limits, maxEvents, approved, accept } = order
  const types = (await hasNoGroups(input)) ? {} : await groupTypesThere(call, io)
  // What the project does to events of files is counted as they are read.
  const isAsked = input.kind === 'file' && types.failure?.code !== 'unavailable'
  const losses = isAsked ? await foreseeLosses(call, io) : undefined
  const lost = losses && new LossesOfFiles(losses)
  const inspected = await inspectInput(order, types, lost, io)
  const { subject, inspection, importIds, reject, unnamed, dataset } = inspected
  const seen = inspection.groups
  const fit = types.types && fitOf(sentOf(seen), types.types, hiddenGroups(seen))
  const asking = {
    days: Object.keys(subject.days),
    importIds,
    dataset,
    failure: types.failure,
  }
  const asked = await projectThere(call, asking, io)
  const { project, answerMs } = asked
  const plan = planOf(subject, inspection, {
    pace,
    batchEvents: limits.events,
    maxEvents,
    approved,
    answerMs,
  })
  const sent =
    input.kind === 'dataset' ? await sentOtherwise(input.path, statePlace(order.state, io.env)) : undefined
  const { kind } = input
  const lines = kind === 'file' ? { sent: plan.events, rejects: subject.rejects, example: reject } : undefined
  const problems = problemsOf(plan, subject, {
    project: asked,
    reject,
    unnamed,
  })
  const facts = { ...inspected, plan, project: asked }
  const guarded = {
    unasked: unaskedOf(asked.failure, types.failure),
    sent,
    held: project,
    quota: {
      there: project?.quota,
      events: plan.events,
      sent: sum((project?.days ?? []).map(({ own }) => own)),
    },
    ...(dataset && project && (await lossesOfDataset(dataset, project, io.interrupted))),
    ...lost?.facts,
    lines,
    uuids: { kind, ...inspection.uuids },
    groups: { named: [...seen.keys()], fit, unasked: !types.types && !types.failure },
  }
  const guards = guardFindings(guarded, accept)
  // Where no line can be sent, that says it all.
  const isNone = guards.some(({ code }) => code === ALL_REJECTED)
  const besides = problems.filter(({ code }) => !(isNone && (code === 'empty' || code === 'many_rejects')))
  const findings = worstFirst([...findingsOfCheck(besides, facts), ...guards])
  const trial = dataset?.manifest.trial ? ['--trial', '<project>'] : []
  const next = hasErrors(findings)
    ? io.argv
    : ['import', ...inspected.words, ...trial, ...importFlags(call, plan)]
  yield checkOf({ ...facts, findings }, { passes: hasErrors(findings) && mayPass(findings), next })
}

/** What could not be asked; once, where both questions failed for one reason. */
function unaskedOf(project: PosthaulError | undefined, groups: PosthaulError | undefined): Unasked[] {
  return [
    ...(project ? [{ what: 'what the project has', error: project }] : []),
    ...(groups && groups.message !== project?.message ? [{ what: GROUP_TYPES, error: groups }] : []),
  ]
}

async function inspectInput(
  { input, name, switches, pace, limits }: CheckOrder,
  { types }: Awaited<ReturnType<typeof groupTypesThere>>,
  lost: LossesOfFiles | undefined,
  io: Io,
) {
  const since = types?.flatMap(({ name, since }) => (since === null ? [] : [[name, since] as const]))
  const requests = { lanes: pace.lanes, limits }
  const from = { young: youngSince(Date.now()), types: new Map(since), requests }
  const progress = progressFor(io.telemetry)
  const pass = { from, interrupted: io.interrupted, progress }
  const inspecting =
    input.kind === 'file'
      ? inspectFiles(input.files, { bigIntegersAsStrings: false, switches }, pass, lost)
      : inspectDataset(name!, input.path, pass)
  return inspecting.finally(progress.stop)
}

/** True if it is known before the events are read. */
async function hasNoGroups(input: ImportInput): Promise<boolean> {
  const { known } = await groupInputOf({ input, switches: [], bigIntegersAsStrings: false })
  return known?.size === 0
}
