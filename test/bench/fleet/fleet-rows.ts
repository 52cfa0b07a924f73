import { type Figure, figure } from '../measure.ts'
import type { StageSample } from './measured.ts'
import type { PassCost } from './passes.ts'
import { row } from './tables.ts'

/** The runs of one contender: a local transform, or a fleet of so many tasks. */
export interface Contender {
  readonly name: string
  /** Run by run, the stages. */
  readonly runs: readonly (readonly StageSample[])[]
}

/** The tables of a bench of the fleet over so many events; the first contender is what others are held against. */
export function fleetTables(contenders: readonly Contender[], events: number, pass: PassCost): string {
  return [...costTable(contenders, events), ...stageTables(contenders, events), ...passLines(pass)].join('\n')
}

function costTable(contenders: readonly Contender[], events: number): string[] {
  const [local] = contenders
  const rows = contenders.map(({ name, runs }) => {
    const seconds = figure(runs.map(cpuOf))
    const against = figure(runs.map((run, at) => cpuOf(run) / cpuOf(local!.runs[at]!)))
    const most = (of: 'megabytes' | 'disk') =>
      figure(runs.map((run) => Math.max(...run.map((one) => one[of])))).median
    return row([
      name,
      perMillion(seconds.median, events).toFixed(1),
      `${against.median.toFixed(2)} x (${against.min.toFixed(2)}-${against.max.toFixed(2)})`,
      `${most('megabytes').toFixed(0)} MB`,
      most('disk') === 0 ? '' : `${(most('disk') / 1e6).toFixed(0)} MB`,
    ])
  })
  return [
    row([
      '',
      'CPU seconds a million events',
      'to the local transform',
      'most memory',
      'most disk of a process',
    ]),
    row(['---', '---:', '---:', '---:', '---:']),
    ...rows,
    '',
  ]
}

function stageTables(contenders: readonly Contender[], events: number): string[] {
  const rows = contenders.flatMap(({ name, runs }) =>
    runs[0]!.map(({ stage }, at) => {
      const cpu = figure(runs.map((run) => run[at]!.cpu)).median
      const { requests, read, written, objects } = runs.at(-1)![at]!.traffic
      const { PUT = 0, POST = 0, GET = 0, HEAD = 0, LIST = 0 } = requests
      const counts = [PUT + POST, GET, HEAD, LIST, objects].map((one) => one.toLocaleString('en'))
      const each = [read, written].map((bytes) => (bytes / events).toFixed(0))
      return row([name, stage, perMillion(cpu, events).toFixed(2), ...each, ...counts])
    }),
  )
  return [
    row([
      '',
      'stage',
      'CPU s a million',
      'bytes read an event',
      'written',
      'PUT',
      'GET',
      'HEAD',
      'LIST',
      'objects then',
    ]),
    row(['---', '---', ...Array(8).fill('---:')]),
    ...rows,
    '',
  ]
}

function passLines({ once, further }: PassCost): string[] {
  const spread = ({ median, min, max }: Figure) =>
    `${median.toFixed(2)} µs an event (${min.toFixed(2)}-${max.toFixed(2)})`
  return [
    `A day sealed in one reading, on a disk: ${spread(once)}. Each further reading of a day that is too`,
    `large for one: ${spread(further)}.`,
    '',
  ]
}

function cpuOf(run: readonly StageSample[]): number {
  return run.reduce((sum, { cpu }) => sum + cpu, 0)
}

function perMillion(seconds: number, events: number): number {
  return (seconds / events) * 1e6
}
