import { bucketsOf } from '../../../src/transform/fleet/pack.ts'
import { CPU_MICROS, passesOf, START_SECONDS, sealMemory, sealReads, sealSeconds } from './costs.ts'
import { DAYS, EVENT_BYTES, type History } from './history.ts'
import { RUN_BYTES } from './map-layout.ts'
import { PIECES } from './passes.ts'
import { noRequests, PRICES, priceOf, type Requests } from './requests.ts'
import type { Skew } from './seal-layout.ts'
import type { Simulated } from './simulate.ts'

/** The tables of one history: what it is, what each plan does, and one plan stage by stage. */
export function tablesOf(history: History, plans: readonly Simulated[], shown: number): string {
  const one = plans.find(({ tasks }) => tasks === shown)!
  return [...historyLines(history, one), ...planTable(plans), ...workTable(plans), ...stageTable(one)].join(
    '\n',
  )
}

function historyLines({ inputs, events }: History, { layout, units }: Simulated): string[] {
  const stored = inputs.reduce((sum, { size }) => sum + size, 0)
  const packed = inputs.filter(({ compression }) => compression !== 'none')
  const hugest = packed.reduce((most, { size }) => Math.max(most, size), 0)
  const largest = layout.dayEvents.reduce((most, one) => Math.max(most, one), 0)
  const day = layout.dayEvents.indexOf(largest)
  return [
    `## ${count(events)} events`,
    '',
    `- ${count(inputs.length)} files, ${bytes(stored)} as stored (${bytes(events * EVENT_BYTES)} unpacked), ${count(packed.length)} of them`,
    `  packed, the largest of these ${bytes(hugest)}; ${count(units)} units`,
    `- a month of it: ${dollars(stored)} for the files, ${dollars(events * RUN_BYTES)} for runs, ${dollars(events * EVENT_BYTES)} for parts that are not packed`,
    `- ${count(DAYS)} days; the largest has ${count(Math.round(largest))} events, ${percent(largest / events)} of all:`,
    `  ${bytes(largest * RUN_BYTES)} on the disk of its seal task, which reads it ${passesOf(largest)} times in`,
    `  ${hours(sealSeconds(largest))} core-hours and ${bytes(sealMemory(largest, layout.dayPieces[day]!))} of memory`,
    '',
  ]
}

function planTable(plans: readonly Simulated[]): string[] {
  const rows = plans.map((plan) => {
    const requests = all(plan)
    const objects = plan.stages.reduce((sum, { objects }) => sum + objects, 0)
    const moved = plan.stages.reduce((sum, { read, written }) => sum + read + written, 0)
    const runs = plan.layout.tasks.map((task) => task.objects.size)
    const { puts, gets, heads, lists } = requests
    const most = runs.reduce((most, one) => Math.max(most, one), 0)
    return row([
      count(plan.tasks),
      count(objects),
      count(most),
      count(puts),
      count(gets),
      count(heads + lists),
      priceOf(requests).toFixed(0),
      bytes(moved),
      hours(coreSeconds(plan)),
      hours(3 * plan.tasks * START_SECONDS),
    ])
  })
  return [
    row([
      'tasks',
      'objects',
      'most runs of a task',
      'PUT',
      'GET',
      'HEAD, LIST',
      'USD',
      'moved',
      'core-hours',
      'for starts',
    ]),
    row(Array(10).fill('---:')),
    ...rows,
    '',
  ]
}

function coreSeconds({ tasks, layout, generated, sealed }: Simulated): number {
  const map = layout.tasks.reduce((sum, { events }) => sum + events, 0) * (CPU_MICROS.map / 1e6)
  return map + generated * bucketsOf(tasks) + sealed.mean * sealed.busy + 3 * tasks * START_SECONDS
}

/** What a day of so many events takes of its seal task. */
export function dayTable(days: readonly number[]): string[] {
  const rows = days.map((events) =>
    row([
      count(events),
      count(passesOf(events)),
      hours(sealSeconds(events)),
      bytes(sealReads(events)),
      bytes(events * RUN_BYTES),
      bytes(sealMemory(events, PIECES)),
    ]),
  )
  const heads = ['events of a day', 'readings', 'hours of a core', 'read from the disk', 'its disk', 'memory']
  return [row(heads), row(heads.map(() => '---:')), ...rows, '']
}

function workTable(plans: readonly Simulated[]): string[] {
  const rows = plans.map(({ tasks, mapped, mappedByStored, generated, sealed, sealedBySize }) => {
    const mapSeconds = (mapped.most * CPU_MICROS.map) / 1e6
    return row([
      count(tasks),
      ratio(mapped),
      ratio(mappedByStored),
      hours(mapSeconds),
      bytes(mapped.most * RUN_BYTES),
      hours(generated),
      count(sealed.busy),
      ratio(sealed),
      ratio(sealedBySize),
      hours(sealed.most),
      hours(mapSeconds + generated + sealed.most),
    ])
  })
  const heads = [
    'tasks',
    'map: most to mean',
    'by stored bytes',
    'hours of it',
    'disk of it',
    'generate: hours',
    'seal: tasks with a day',
    'most to mean',
    'packed by size',
    'hours of it',
    'all at once',
  ]
  return [row(heads), row(heads.map(() => '---:')), ...rows, '']
}

function stageTable({ tasks, stages }: Simulated): string[] {
  return [
    `With ${count(tasks)} tasks, by stage:`,
    '',
    row(['stage', 'objects', 'PUT', 'GET', 'HEAD', 'LIST', 'read', 'written']),
    row(['---', ...Array(7).fill('---:')]),
    ...stages.map(({ stage, objects, requests: { puts, gets, heads, lists }, read, written }) =>
      row([
        stage,
        count(objects),
        count(puts),
        count(gets),
        count(heads),
        count(lists),
        bytes(read),
        bytes(written),
      ]),
    ),
    '',
  ]
}

function all({ stages }: Simulated): Requests {
  const total = noRequests()
  for (const { requests } of stages) {
    for (const kind of ['puts', 'gets', 'heads', 'lists'] as const) total[kind] += requests[kind]
  }
  return total
}

/** A row of a Markdown table. */
export function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

function count(value: number): string {
  return value.toLocaleString('en')
}

function ratio({ most, mean }: Skew): string {
  return `${(most / mean).toFixed(1)} x`
}

function hours(seconds: number): string {
  return (seconds / 3600).toFixed(1)
}

/** What so many bytes cost a month. */
function dollars(stored: number): string {
  return `${Math.round((stored / 1e9) * PRICES.gigabyteMonth).toLocaleString('en')} USD`
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`
}

function bytes(value: number): string {
  const unit = [
    ['TB', 1e12],
    ['GB', 1e9],
    ['MB', 1e6],
  ].find(([, size]) => value >= (size as number)) as [string, number] | undefined
  return unit ? `${(value / unit[1]).toFixed(1)} ${unit[0]}` : `${count(Math.round(value))} B`
}
