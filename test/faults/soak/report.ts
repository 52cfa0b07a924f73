import type { Minted } from './breaches.ts'
import type { Survived } from './kills.ts'
import type { Store } from './places.ts'
import type { Told } from './service.ts'

interface Soaked {
  readonly minted: Minted
  readonly transform: Survived
  readonly imported: Survived
  readonly told: Told
  readonly store: Store
  readonly bucket: { readonly requests: number; readonly faults: Readonly<Record<string, number>> }
  readonly seed: number
  readonly mostMib: number
  readonly breaches: readonly string[]
}

const WIDTH = 80
const STORED: Readonly<Record<Store, string>> = {
  disk: 'dataset and state on disk',
  state: 'dataset on disk, state in a bucket',
  s3: 'dataset and state in a bucket',
}

/** The report of a soak, in 80 columns. */
export function report(soaked: Soaked): string {
  const { minted, transform, imported, told, store, bucket, seed, mostMib, breaches } = soaked
  return [
    `soak: ${words(minted.lines)} records, seed ${seed}`,
    ...stage('transform', transform, minted.lines, 'records'),
    ...stage('import', imported, minted.events + minted.links, 'events'),
    ...requests('requests', told),
    row('store', STORED[store]),
    ...(store === 'disk' ? [] : requests('bucket', bucket)),
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

/** How many requests there were, and each kind of fault that they met. */
function requests(name: string, { requests, faults }: Soaked['bucket']): string[] {
  const kinds = Object.entries(faults).sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  const failed = kinds.reduce((sum, [, count]) => sum + count, 0)
  return [
    row(name, `${words(requests)}, ${words(failed)} of them with a fault`),
    ...kinds.map(([fault, count]) => `    ${fault.padEnd(32)} ${words(count).padStart(9)}`),
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
