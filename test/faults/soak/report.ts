import type { Minted } from './breaches.ts'
import type { Survived } from './kills.ts'
import type { Told } from './service.ts'

export interface Soaked {
  readonly minted: Minted
  readonly transform: Survived
  readonly imported: Survived
  readonly told: Told
  readonly seed: number
  readonly mostMib: number
  readonly breaches: readonly string[]
}

const WIDTH = 80

/** The report of a soak, in 80 columns. */
export function report({ minted, transform, imported, told, seed, mostMib, breaches }: Soaked): string {
  const faults = Object.entries(told.faults).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  const failed = faults.reduce((sum, [, count]) => sum + count, 0)
  return [
    `soak: ${words(minted.lines)} records, seed ${seed}`,
    ...stage('transform', transform, minted.lines, 'records'),
    ...stage('import', imported, minted.events + minted.links, 'events'),
    row('requests', `${words(told.requests)}, ${words(failed)} of them with a fault`),
    ...faults.map(([fault, count]) => `    ${fault.padEnd(32)} ${words(count).padStart(9)}`),
    row('refused', `${words(told.refused)} requests, for ${words(minted.poison)} poisoned events`),
    row('there', `${words(told.there)} events and ${words(told.links)} identity links, each once`),
    row('', `${words(told.again)} came again, and merged`),
    row(
      'memory',
      `${peak(transform)} transform (2 workers), ${peak(imported)} import; at most ${mostMib} MiB`,
    ),
    row('', `${told.peakMib.toFixed(0)} MiB the service of the soak`),
    breaches.length === 0
      ? 'held: nothing lost, doubled, bent or out of order'
      : `BROKEN: ${breaches.length}`,
    ...breaches.flatMap((breach) => fold(`  ${breach}`)),
    '',
  ].join('\n')
}

function stage(
  name: string,
  { summary, kills, paused, seconds }: Survived,
  total: number,
  of: string,
): string[] {
  const { counts } = summary
  const count = (one: string) => words(counts[one] ?? 0)
  return [
    row(
      name,
      `${words(kills)} kills, ${words(paused)} pauses, ${seconds.toFixed(0)} s, ${words(Math.round(total / seconds))} ${of}/s`,
    ),
    row('', `read ${count('read')} = written ${count('written')} + rejected ${count('rejected')}`),
    row(
      '',
      `  + filtered ${count('filtered')} + duplicate ${count('duplicate')} + pending ${count('pending')}`,
    ),
  ]
}

function row(name: string, text: string): string {
  return `  ${name.padEnd(10)} ${text}`
}

function peak({ peakMib }: Survived): string {
  return `${peakMib.toFixed(0)} MiB`
}

function words(count: number): string {
  return count.toLocaleString('en')
}

/** A breach shows bytes of events, which have no blanks: it is cut, not wrapped. */
function fold(text: string): string[] {
  return text.match(new RegExp(`.{1,${WIDTH}}`, 'gs'))!.slice(0, 12)
}
