import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { writeHistory } from './fleet.ts'
import { seeded } from './random.ts'

const FIRST = Date.UTC(2024, 1, 27)
const DAYS = 6

/** A history that has to be read before its records are mapped. */
export interface GatheredHistory {
  readonly name: string
  /** The stages that its plan has before map. */
  readonly stages: readonly string[]
  /** Writes it into `folder`, and returns the options of a transform. */
  write(folder: string, seed: number): string[]
}

/** Histories of each preset with tables of records, and of people to forget. */
export const GATHERED: readonly GatheredHistory[] = [
  { name: 'snowplow', stages: ['rows', 'tables'], write: writeSnowplow },
  { name: 'umami', stages: ['rows', 'tables'], write: writeUmami },
  { name: 'amplitude', stages: ['rows', 'tables'], write: writeAmplitude },
  { name: 'mixpanel with people to forget', stages: ['links', 'people'], write: writeForgotten },
  {
    name: 'amplitude with people to forget, whom only a table of records shows',
    stages: ['rows', 'tables', 'links', 'people'],
    write: (folder, seed) => [
      ...writeAmplitude(folder, seed),
      '--map',
      forgetting(folder, ['reader-3', 'reader-7']),
    ],
  },
]

function writeFiles(folder: string, files: readonly (readonly string[])[], ending: string): void {
  mkdirSync(folder, { recursive: true })
  for (const [file, lines] of files.entries()) {
    const text = `${lines.join('\n')}\n`
    const name = join(folder, `part-${file}${ending}`)
    if (file % 3 === 2) writeFileSync(`${name}.gz`, gzipSync(text))
    else writeFileSync(name, text)
  }
}

function textAt(ms: number): string {
  return new Date(ms).toISOString().replace('T', ' ').replace('Z', '')
}

/** Rows that come twice, ids with several fingerprints, and sessions over several files. */
function writeSnowplow(folder: string, seed: number): string[] {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  const uuid = (n: number) => `c6ef3124-b53a-4b13-a233-${n.toString(16).padStart(12, '0')}`
  const files = Array.from({ length: 5 }, () =>
    Array.from({ length: 160 }, () => {
      const [event, session] = [pick(600), pick(50)]
      return JSON.stringify({
        app_id: 'shop',
        platform: 'web',
        event: 'page_view',
        event_name: 'page_view',
        event_id: uuid(event),
        event_fingerprint: `print-${pick(2)}`,
        collector_tstamp: textAt(FIRST + pick(DAYS * 86_400_000)),
        derived_tstamp: textAt(FIRST + event * 60_000),
        domain_userid: uuid(10_000 + (session % 20)),
        domain_sessionid: uuid(20_000 + session),
        page_url: `https://shop.example/${event % 9}`,
      })
    }),
  )
  files[1]!.push('{"torn": ')
  writeFiles(join(folder, 'raw'), files, '.ndjson')
  return ['--preset', 'snowplow', '--in', join(folder, 'raw'), '--max-reject-ratio', '0.5']
}

function writeUmami(folder: string, seed: number): string[] {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  const uuid = (n: number) => `5c77f0de-31b4-4c4a-9a44-${n.toString(16).padStart(12, '0')}`
  const files = Array.from({ length: 4 }, (_, file) => [
    'website_id,session_id,visit_id,event_id,hostname,url_path,event_type,event_name,distinct_id,created_at',
    ...Array.from({ length: 150 }, (_, n) => {
      const visit = pick(60)
      const ids = [uuid(1), uuid(1000 + (visit % 25)), uuid(2000 + visit), uuid(10_000 + file * 1000 + n)]
      const who = visit % 3 === 0 ? `user-${visit % 25}` : ''
      return [
        ...ids,
        'shop.example',
        `/${n % 7}`,
        1,
        '',
        who,
        textAt(FIRST + pick(DAYS * 86_400) * 1000),
      ].join()
    }),
  ])
  writeFiles(join(folder, 'raw'), files, '.csv')
  return ['--preset', 'umami', '--in', join(folder, 'raw')]
}

/** Of each reader's events most come from a second device, with an id that was merged later. */
function writeAmplitude(folder: string, seed: number): string[] {
  const random = seeded(seed)
  const pick = (most: number) => Math.floor(random() * most)
  const readers = 30
  const files = Array.from({ length: 6 }, (_, file) =>
    Array.from({ length: 120 }, (_, n) => {
      const reader = pick(readers)
      const isKnown = random() < 0.2
      return JSON.stringify({
        event_type: 'Article Read',
        event_time: textAt(FIRST + pick(DAYS * 86_400_000)),
        amplitude_id: 1000 + (isKnown ? reader : readers + reader),
        user_id: isKnown ? `reader-${reader}` : null,
        device_id: `${isKnown ? 'laptop' : 'phone'}-${reader}`,
        $insert_id: `insert-${file}-${n}`,
      })
    }),
  )
  writeFiles(join(folder, 'raw'), files, '.ndjson')
  const rows = Array.from({ length: readers }, (_, reader) => `${1000 + readers + reader},${1000 + reader}`)
  writeFileSync(join(folder, 'ids.csv'), `amplitude_id,merged_amplitude_id\n${rows.join('\n')}\n`)
  return [
    '--preset',
    'amplitude',
    '--in',
    join(folder, 'raw'),
    '--join',
    `merge_ids=${join(folder, 'ids.csv')}`,
  ]
}

function writeForgotten(folder: string, seed: number): string[] {
  const raw = join(folder, 'raw')
  writeHistory(raw, seed, { files: 5, records: 150 })
  writeHistory(join(raw, 'large'), seed + 1, { files: 1, records: 900, padding: 10_000 })
  const map = forgetting(folder, ['user-1', '$device:device-17', 'user-40', 'nobody'])
  return ['--preset', 'mixpanel', '--in', raw, '--map', map, '--max-reject-ratio', '0.5']
}

/** Writes a mapping file and its list; returns the path of the mapping file. */
function forgetting(folder: string, ids: readonly string[]): string {
  const map = join(folder, 'mapping.yaml')
  writeFileSync(join(folder, 'gone.txt'), `${ids.join('\n')}\n`)
  writeFileSync(map, 'forget: gone.txt\n')
  return map
}
