import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jsonRecords, tableRecords } from './source-leaves.ts'
import type { Stranger } from './stranger.ts'

// Records that hold several events, members whose own names have dots, and cells that hold several values.

const two = (n: number) => String(n).padStart(2, '0')

const VISITS = Array.from({ length: 20 }, (_, at) => ({
  'visit.no': 9_000_000_000_000_001n + BigInt(at),
  'user.id': `u${at % 4}`,
  device: { os: 'Linux', 'screen.size': `${1000 + at}x800` },
  id: `visit-${at}`,
  steps: Array.from({ length: at % 4 }, (_, i) => ({
    id: `step-${at}-${i}`,
    'event.name': i === 0 ? 'Öffnen' : 'Klick',
    at: `2023-07-${two(at + 1)}T10:0${i}:00.12345${i}Z`,
    price: `${i}.50`,
    parts: [{ n: i }, { n: i + 1 }],
  })),
}))
/** JSON with whole numbers of any length. */
const jsonOf = (value: object) =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? `#${one}#` : one)).replaceAll(
    /"#(\d+)#"/g,
    '$1',
  )

const flatText = Array.from({ length: 20 }, (_, at) =>
  JSON.stringify({
    'user.id': `u${at % 5}`,
    'event.name': at % 2 === 0 ? 'sign up' : 'log in',
    'time.stamp': `2023-08-${two(at + 1)}T07:00:00Z`,
    'ref.no': `r-${at}`,
    'plan."best"': 'pro',
    geo: { 'city.name': 'Wien' },
  }),
).join('\n')

const tagRows = Array.from({ length: 20 }, (_, at) => [
  `r-${at}`,
  'tagged',
  `u${at % 3}`,
  `2023-09-${two(at + 1)} 08:00:00`,
  at % 3 === 0 ? 'vip' : `vip;no ${at}`,
  at % 2 === 0 ? 'red, blue' : 'red',
])
const tagText = [['case_key', 'event', 'user_id', 'time', 'tags', 'colors'], ...tagRows]
  .map((cells) => cells.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(','))
  .join('\n')

const fileOf = (name: string, text: string): Stranger['write'] => {
  return (folder) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return [path]
  }
}

export const LISTS: readonly Stranger[] = [
  {
    about: 'visits that hold their steps in a list',
    write: fileOf('visits.ndjson', VISITS.map(jsonOf).join('\n')),
    records: jsonRecords(
      VISITS.flatMap((visit) => visit.steps.map((step) => jsonOf({ ...visit, steps: step }))).join('\n'),
    ),
    key: 'steps.id',
    counted: {
      records: { read: 20, mapped: 15, rejected: 0, filtered: 5 },
      events: { made: 30, written: 30, rejected: 0, duplicate: 0, pending: 0 },
    },
  },
  {
    about: 'members with dots in their names',
    write: fileOf('flat.ndjson', flatText),
    records: jsonRecords(flatText),
    key: 'ref.no',
  },
  {
    about: 'cells that are lists, as the user says',
    write: fileOf('tags.csv', tagText),
    records: tableRecords(tagText, ',').map((record) =>
      record.flatMap((leaf) =>
        leaf.path[0] === 'tags' ? leaf.text.split(';').map((text) => ({ ...leaf, text })) : [leaf],
      ),
    ),
    key: 'case_key',
    edit: (yaml) =>
      yaml
        .replace(/^ {2}# tags .*$/m, "  tags: { type: list, separator: ';' }")
        .replace('# columns:', 'columns:'),
  },
]
