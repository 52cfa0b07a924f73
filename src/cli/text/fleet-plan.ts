import { OPEN_EVENTS } from '../../delivery/index.ts'
import type { FleetPlanResult, FleetSaid } from '../../jobs/index.ts'
import { bytes, fold, MS_PER_HOUR, MS_PER_SECOND, number, plural, span, visible } from '../../text/index.ts'
import { labelled } from './summary.ts'

/** Of a task against the mean: below, the cut is as even as it needs to be. */
const EVEN = 1.5

/** The summary for a person: first what no number of tasks makes shorter. */
export function fleetPlanText(result: FleetPlanResult, { coreHours, hoursAtOnce }: FleetSaid): string {
  const { plan, kept, fleet_finished: finished, tasks, next } = result
  const about = result.exact ? '' : 'about '
  const shuffle = `about ${bytes(result.shuffle_bytes)} that map writes and seal reads`
  const lines = [
    ...fold(
      `${about}${plural(result.events, 'event')}, whose import takes ${headSpan(result.import)}`,
      '  ',
      'fleet plan: ',
    ),
    ...labelled('import', importWords(result.import)),
    ...labelled(
      'input',
      `${plural(result.input_files, 'file')}, ${bytes(result.input_bytes)} as stored: ${about}${plural(result.records, 'record')}`,
    ),
    ...labelled(
      'transform',
      `about ${hours(coreHours)}; ${plural(tasks, 'core')} at once: about ${span(hoursAtOnce * MS_PER_HOUR)}`,
    ),
    ...labelled('shuffle', `${shuffle}, in at most ${plural(result.most_objects, 'object')}`),
    ...labelled('stages', Object.keys(result.task_needs).join(', ')),
    ...labelled('tasks', taskWords(result)),
    ...labelled('a task', needWords(result)),
    ...labelled('largest', largestWords(result.largest_task)),
    ...labelled(
      'plan',
      `${plan.slice(0, 12)} in ${visible(result.out)}${finished ? ': it is finished' : kept ? ': the same as before, kept with what its tasks have done' : ''}`,
    ),
  ]
  if (!finished) lines.push('Next:', ...next.map((command) => `  ${command}`))
  return `${lines.join('\n')}\n`
}

type ImportSpan = FleetPlanResult['import']

function headSpan(of: ImportSpan): string {
  if (!of.needs_approval) return span(of.seconds_at_cap * MS_PER_SECOND)
  return `${span(of.seconds_if_granted * MS_PER_SECOND)} at ${number(of.granted_events_per_second)} a second`
}

function importWords(of: ImportSpan): string {
  const { seconds_at_cap: seconds, events_per_minute: cap, needs_approval } = of
  const atCap = `${span(seconds * MS_PER_SECOND)} at ${number(cap)} events a minute, the cap without approval`
  if (!needs_approval) return atCap
  return `${atCap}; more than ${number(OPEN_EVENTS)} events need it in any case. A fleet makes the transform shorter, and not the import`
}

function hours(coreHours: number): string {
  if (coreHours < 1) return `${span(coreHours * MS_PER_HOUR)} of one core`
  return `${coreHours < 10 ? coreHours.toFixed(1) : number(coreHours)} core-hours`
}

function taskWords({ tasks, busy_tasks: { map, generate } }: FleetPlanResult): string {
  return `${number(tasks)} a stage. With work: map ${number(map)}, generate up to ${number(generate)}, seal as many as there are days, up to ${number(tasks)}; the others end at once`
}

function needWords({ task_needs: needs, largest_day_bytes: day }: FleetPlanResult): string {
  const of = Object.entries(needs).map(
    ([stage, { memory_mib, disk_gib }]) =>
      `${stage} ${number(memory_mib)} MiB of memory, ${number(disk_gib)} GiB of disk`,
  )
  return `${of.join('; ')}, for a day of up to ${bytes(day)}`
}

function largestWords(task: FleetPlanResult['largest_task']): string {
  const { index, bytes: most, mean_bytes: mean, file } = task
  const times = mean === 0 ? 1 : most / mean
  const what = `map task ${index} has about ${bytes(most)} of records, ${times.toFixed(1)} times the mean`
  if (file === null || times < EVEN) return what
  return `${what}: ${visible(file.name)} is about ${bytes(file.bytes)} of that, and such a file is read in one piece. More tasks don't help; smaller files would`
}
