import { OPEN_EVENTS, OPEN_PER_MINUTE } from '../../delivery/index.ts'
import type { PlannedFleet } from '../../jobs/fleet/plan-fleet.ts'
import type { FleetPlanResult } from '../../jobs/results.ts'
import {
  bytes,
  fold,
  MS_PER_HOUR,
  MS_PER_MINUTE,
  MS_PER_SECOND,
  number,
  plural,
  posthaulLine,
  REMARK,
  span,
  visible,
} from '../../text/index.ts'
import { stagesOf } from '../../transform/index.ts'

type Estimate = PlannedFleet['estimate']

/** A pace that the service may grant a large migration, in events a second; see docs/fleet.md. */
const GRANTED_PER_SECOND = 5000
/** Of a task against the mean: below, the cut is as even as it needs to be. */
const EVEN = 1.5

/** The summary as JSON, as the result has it. */
export function fleetPlanJson(summary: PlannedFleet): FleetPlanResult {
  const { out, known, kept, finished, exact, tried, rejected, estimate, needs } = summary
  const { largest, busy } = estimate
  const { resources } = needs
  return {
    version: 1,
    command: 'fleet plan',
    out,
    plan: known.id,
    kept,
    fleet_finished: finished,
    tasks: known.plan.tasks,
    exact,
    tried: { records: tried, rejected },
    input_files: known.plan.inputs.length,
    input_bytes: estimate.inputBytes,
    records: estimate.records,
    events: estimate.events,
    import: {
      events_per_minute: OPEN_PER_MINUTE,
      seconds_at_cap: Math.ceil(atCapMs(estimate) / MS_PER_SECOND),
      needs_approval: estimate.events > OPEN_EVENTS,
      granted_events_per_second: GRANTED_PER_SECOND,
      seconds_if_granted: Math.ceil(estimate.events / GRANTED_PER_SECOND),
    },
    core_hours: Number(estimate.coreHours.toPrecision(3)),
    hours_at_once: Number(estimate.hoursAtOnce.toPrecision(3)),
    shuffle_bytes: estimate.shuffleBytes,
    most_objects: estimate.objects,
    busy_tasks: busy,
    largest_task: {
      index: largest.index,
      bytes: largest.bytes,
      mean_bytes: largest.meanBytes,
      file: largest.file ?? null,
    },
    task_needs: Object.fromEntries(stagesOf(known.plan).map((stage) => [stage, needJson(resources[stage])])),
    largest_day_bytes: Math.round(needs.dayBytes),
    next: nextCommands(summary),
  }
}

function needJson({ memoryMiB, diskGiB }: PlannedFleet['needs']['resources']['map']) {
  return { memory_mib: memoryMiB, disk_gib: diskGiB }
}

/** The summary for a person: first what no number of tasks makes shorter. */
export function fleetPlanSummary(summary: PlannedFleet): string {
  const { out, known, kept, finished, exact, estimate } = summary
  const { records, events, inputBytes, coreHours, hoursAtOnce, shuffleBytes, objects } = estimate
  const { tasks, inputs } = known.plan
  const about = exact ? '' : 'about '
  const row = (name: string, text: string) => fold(text, REMARK, `  ${name.padEnd(10)}`)
  const lines = [
    ...fold(
      `${about}${plural(events, 'event')}, whose import takes ${headSpan(estimate)}`,
      '  ',
      'fleet plan: ',
    ),
    ...row('import', importWords(estimate)),
    ...row(
      'input',
      `${plural(inputs.length, 'file')}, ${bytes(inputBytes)} as stored: ${about}${plural(records, 'record')}`,
    ),
    ...row(
      'transform',
      `about ${hours(coreHours)}; ${plural(tasks, 'core')} at once: about ${span(hoursAtOnce * MS_PER_HOUR)}`,
    ),
    ...row(
      'shuffle',
      `about ${bytes(shuffleBytes)} that map writes and seal reads, in at most ${plural(objects, 'object')}`,
    ),
    ...row('stages', stagesOf(known.plan).join(', ')),
    ...row('tasks', taskWords(summary)),
    ...row('a task', needWords(summary)),
    ...row('largest', largestWords(summary)),
    ...row(
      'plan',
      `${known.id.slice(0, 12)} in ${visible(out)}${finished ? ': it is finished' : kept ? ': the same as before, kept with what its tasks have done' : ''}`,
    ),
  ]
  if (finished) return `${lines.join('\n')}\n`
  return `${[...lines, 'Next:', ...nextCommands(summary).map((command) => `  ${command}`)].join('\n')}\n`
}

function atCapMs({ events }: Estimate): number {
  return (events / OPEN_PER_MINUTE) * MS_PER_MINUTE
}

function grantedMs({ events }: Estimate): number {
  return (events / GRANTED_PER_SECOND) * MS_PER_SECOND
}

function headSpan(estimate: Estimate): string {
  if (estimate.events <= OPEN_EVENTS) return span(atCapMs(estimate))
  return `${span(grantedMs(estimate))} at ${number(GRANTED_PER_SECOND)} a second`
}

function importWords(estimate: Estimate): string {
  const atCap = `${span(atCapMs(estimate))} at ${number(OPEN_PER_MINUTE)} events a minute, the cap without approval`
  if (estimate.events <= OPEN_EVENTS) return atCap
  return `${atCap}; more than ${number(OPEN_EVENTS)} events need it in any case. A fleet makes the transform shorter, and not the import`
}

function hours(coreHours: number): string {
  if (coreHours < 1) return `${span(coreHours * MS_PER_HOUR)} of one core`
  return `${coreHours < 10 ? coreHours.toFixed(1) : number(coreHours)} core-hours`
}

function taskWords({ known, estimate }: PlannedFleet): string {
  const { tasks } = known.plan
  const { map, generate } = estimate.busy
  return `${number(tasks)} a stage. With work: map ${number(map)}, generate up to ${number(generate)}, seal as many as there are days, up to ${number(tasks)}; the others end at once`
}

function needWords({ known, needs: { resources, dayBytes } }: PlannedFleet): string {
  const of = stagesOf(known.plan).map((stage) => {
    const { memoryMiB, diskGiB } = resources[stage]
    return `${stage} ${number(memoryMiB)} MiB of memory, ${number(diskGiB)} GiB of disk`
  })
  return `${of.join('; ')}, for a day of up to ${bytes(dayBytes)}`
}

function largestWords({ estimate: { largest } }: PlannedFleet): string {
  const { index, bytes: most, meanBytes, file } = largest
  const times = meanBytes === 0 ? 1 : most / meanBytes
  const what = `map task ${index} has about ${bytes(most)} of records, ${times.toFixed(1)} times the mean`
  if (file === undefined || times < EVEN) return what
  return `${what}: ${visible(file.name)} is about ${bytes(file.bytes)} of that, and such a file is read in one piece. More tasks don't help; smaller files would`
}

function nextCommands({ known, out, endpoint, finished }: PlannedFleet): string[] {
  if (finished) return []
  const place = ['--out', out, ...(endpoint === undefined ? [] : ['--endpoint', endpoint])]
  return [
    posthaulLine(['fleet', 'job', ...place]),
    posthaulLine(['fleet', 'run', stagesOf(known.plan)[0]!, ...place, '--index', '0']),
  ]
}
