import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renameColumns, writeParquet } from '../../helpers/parquet.ts'
import { jsonRecords, tableRecords } from './source-leaves.ts'
import type { Stranger } from './stranger.ts'

/** Rows of a table as text. */
const rowsOf = (count: number, row: (i: number) => readonly string[]) =>
  Array.from({ length: count }, (_, i) => row(i))
const two = (n: number) => String(n).padStart(2, '0')
const joined = (
  header: readonly string[],
  rows: readonly (readonly string[])[],
  delimiter: string,
  end = '\n',
) => `${[header, ...rows].map((cells) => cells.join(delimiter)).join(end)}${end}`

function fileOf(name: string, bytes: string | Buffer): Stranger['write'] {
  return (folder) => {
    const path = join(folder, name)
    writeFileSync(path, bytes)
    return [path]
  }
}

// By the table of the Unicode consortium: Node 20 reads € as a control.
const CP1252 = '€\0‚ƒ„…†‡ˆ‰Š‹Œ\0Ž\0\0‘’“”•–—˜™š›œ\0žŸ'
const inCp1252 = (text: string) =>
  Buffer.from(
    [...text].map((letter) =>
      CP1252.includes(letter) ? 0x80 + CP1252.indexOf(letter) : letter.charCodeAt(0),
    ),
  )

const NAMES = ['Jürgen Groß', 'Zoë Köhler', 'Noël “Nono” Müller', 'Anaïs Lefèvre – Paris', 'Max Muster']

const shopText = joined(
  `Bestell-Nr Kundennr. Ereignis Zeitpunkt Beleg Depot Zeichensatz Charge Artikel PNR Menge Storno
    Summe Netto`.split(/\s+/),
  rowsOf(24, (i) => [
    `INV-${1001 + i}`,
    `KD-${String(707 + i).padStart(5, '0')}`,
    i % 4 === 0 ? 'Retoure' : 'Kauf',
    `2023-01-${two(i + 1)} 08:0${i % 10}:00`,
    `00${4711 + i}`,
    `UTF-${8 + i}`,
    `AB${12 + i}`,
    `${12 + i}e45`,
    `SKU-${12 + i}`,
    `PNR ${4711 + i}`,
    String(3000 + i),
    `${500 + i},00-`,
    `14.${365 + i},30`,
    `${14_365 + i}.30`,
  ]),
  ';',
)

const excelText = joined(
  ['Auftrag', 'Kunde', 'Vorgang', 'Zeit', 'Straße', 'Betrag', 'Größe'],
  rowsOf(20, (i) => [
    `A-${5000 + i}`,
    `k${i % 6}`,
    i % 3 === 0 ? 'Rückgabe' : 'Kauf',
    `2023-02-${two(i + 1)} 10:00:00`,
    `${NAMES[i % 5]} ${i}`,
    `${100 + i},5${i % 10} €`,
    `Größe ${i}`,
  ]),
  ';',
  '\r\n',
)

const mixedRow = (i: number) => [
  `M-${400 + i}`,
  `k${i % 5}`,
  i % 2 === 0 ? 'Kauf' : 'Rückgabe',
  `2023-12-${two(i + 1)} 11:00:00`,
  `${NAMES[i % 4]} ${i}`,
]
const mixedText = [
  joined(['Beleg', 'Kunde', 'Vorgang', 'Zeit', 'Name'], rowsOf(24, mixedRow), ';'),
  joined(mixedRow(24), [mixedRow(25)], ';'),
] as const

const mostlyRow = (i: number) => [
  `N-${200 + i}`,
  `k${i % 5}`,
  'Kauf',
  `2022-07-${two(i + 1)} 11:00:00`,
  `${NAMES[i % 4]} ${i}`,
]
const mostlyText = [
  joined(['Beleg', 'Kunde', 'Vorgang', 'Zeit', 'Name'], rowsOf(24, mostlyRow), ';'),
  joined(mostlyRow(24), [mostlyRow(25)], ';'),
] as const

const wideText = joined(
  ['ticket', 'user', 'action', 'when', 'note'],
  rowsOf(20, (i) => [
    `T-${9000 + i}`,
    `żółw-${i % 4}`,
    i % 2 === 0 ? 'opened' : 'closed',
    `2023-03-${two(i + 1)}T07:00:00Z`,
    `日本 ${i} ✓ 👍`,
  ]),
  '\t',
  '\r\n',
)

const dottedText = joined(
  ['Kundennr.', 'Aktion', 'Zeit', 'Art.Nr.', 'geo.stadt', 'lauf'],
  rowsOf(15, (i) => [
    `c${i % 5}`,
    i % 2 === 0 ? 'Suche' : 'Klick',
    `2023-04-${two(i + 1)} 09:30:00`,
    `art ${100 + i}`,
    `Stadt ${i}`,
    `L${800 + i}`,
  ]),
  ',',
)

const datesText = joined(
  ['Vorgang', 'Kunde', 'Aktion', 'Datum', 'Uhrzeit'],
  rowsOf(15, (i) => [
    `V${600 + i}`,
    `c${i % 5}`,
    i % 2 === 0 ? 'Kauf' : 'Retoure',
    `${two(i + 13)}.05.2023`,
    `1${i % 10}:4${i % 6}`,
  ]),
  ';',
)

/** 45078 is 1 June 2023. */
const serialText = joined(
  ['lfd', 'kunde', 'aktion', 'zeit'],
  rowsOf(15, (i) => [
    `S${700 + i}`,
    `c${i % 5}`,
    i % 2 === 0 ? 'Kauf' : 'Retoure',
    `${45_078 + i}.${['25', '5', '75'][i % 3]}`,
  ]),
  ',',
)

const HEADERLESS = ['order_ref', 'person', 'action', 'at', 'remark']
const headerlessText = rowsOf(12, (i) => [
  `R${300 + i}`,
  `p${i % 4}`,
  i % 2 === 0 ? 'buy' : 'return',
  `2023-07-${two(i + 1)}T06:00:00Z`,
  `said "hi" ${i}`,
])
  .map((cells) => `${cells.join('\t')}\n`)
  .join('')

const pyText = rowsOf(30, (i) => [
  `{"event":"scored","distinct_id":"m${i % 4}","timestamp":"2023-08-${two((i % 28) + 1)}T05:00:00Z","properties":{"run":"run-${i}",` +
    `"score":${i % 3 === 0 ? 'NaN' : `${i}.50`},"limits":[${i % 5 === 0 ? '-Infinity' : i * 7},Infinity],"note":"NaN, Infinity ${i}","big":12345678901234567${two(i)}}}\n`,
]).join('')

const SEGMENT =
  `id anonymous_id user_id event event_text timestamp received_at coupon campaign revenue`.split(/\s+/)
const segmentText = joined(
  SEGMENT,
  rowsOf(18, (i) => [
    `seg-${i}`,
    `anon-${i % 6}`,
    ['\\N', 'NULL', `user-${i}`, 'None'][i % 4]!,
    'order_completed',
    'Order Completed',
    `2023-09-${two(i + 1)} 04:00:00`,
    `2023-09-${two(i + 1)} 04:00:01`,
    ['\\N', `save${i}`, 'NULL', 'None'][i % 4]!,
    i % 2 === 0 ? '\\N' : `mail ${i}`,
    `${19 + i}.90`,
  ]),
  ',',
)

const capitalsText = joined(
  `ID ANONYMOUS_ID USER_ID EVENT EVENT_TEXT TIMESTAMP CONTEXT_IP CONTEXT_PAGE_URL PLAN_NAME`.split(/\s+/),
  rowsOf(18, (i) => [
    `cap-${i}`,
    `dev-${i % 6}`,
    `acct-${i % 6}`,
    'report_viewed',
    'Report Viewed',
    `2023-10-${two(i + 1)} 03:00:00`,
    `203.0.113.${i + 1}`,
    `https://app.example.com/r/${i}`,
    `Plan ${i}`,
  ]),
  ',',
)

const parquetRow = (i: number) => ({
  t: `t-${i}`,
  row: `row ${i}`,
  file_row_number: `f${i}`,
  filename: `name-${i}`,
  'a b': `ab ${i}`,
  Color: `big ${i}`,
  color: `small ${i}`,
  event: i % 2 === 0 ? 'scan' : 'ship',
  user_id: `w${i % 4}`,
  time: `2023-11-${two(i + 1)} 02:00:00`,
})

/** Tables as strangers have them. */
export const TABLES: readonly Stranger[] = [
  {
    about: 'a shop: references, leading zeros, amounts in two styles',
    write: fileOf('shop.csv', shopText),
    records: tableRecords(shopText, ';'),
    key: 'Bestell-Nr',
  },
  {
    about: 'Windows-1252 with semicolons, by Excel',
    write: fileOf('excel.csv', inCp1252(excelText)),
    records: tableRecords(excelText, ';'),
    key: 'Auftrag',
  },
  {
    about: 'Windows-1252, to which somebody has added rows in UTF-8',
    write: fileOf('mixed.csv', Buffer.concat([inCp1252(mixedText[0]), Buffer.from(mixedText[1])])),
    records: tableRecords(mixedText.join(''), ';'),
    key: 'Beleg',
    rejected: 2,
  },
  {
    about: 'UTF-8, to which Excel has added rows in Windows-1252',
    write: fileOf('mostly.csv', Buffer.concat([Buffer.from(mostlyText[0]), inCp1252(mostlyText[1])])),
    records: tableRecords(mostlyText.join(''), ';'),
    key: 'Beleg',
    rejected: 2,
  },
  {
    about: 'Unicode text by Excel: UTF-16 between tabs',
    write: fileOf('unicode.txt', Buffer.from(`\uFEFF${wideText}`, 'utf16le')),
    records: tableRecords(wideText, '\t'),
    key: 'ticket',
  },
  {
    about: 'names of columns with dots',
    write: fileOf('suche.csv', dottedText),
    records: tableRecords(dottedText, ','),
    key: 'lauf',
  },
  {
    about: 'date and time of day in two columns',
    write: fileOf('kasse.csv', datesText),
    records: tableRecords(datesText, ';'),
    key: 'Vorgang',
    edit: (yaml) =>
      yaml
        .replace(/^ {2}event: .*$/m, '  event: Aktion')
        .replace(/^ {2}timestamp: .*$/m, '  time: [Datum, Uhrzeit]')
        .replace(/^time_format: .*$/m, 'time_format: DD.MM.YYYY HH:mm'),
  },
  {
    about: "Excel's serial dates",
    write: fileOf('serial.csv', serialText),
    records: tableRecords(serialText, ','),
    key: 'lfd',
    edit: (yaml) =>
      /excel/i.test(yaml)
        ? yaml
        : yaml.replace(/^ {2}timestamp: .*$/m, '  timestamp: zeit\ntime_format: excel'),
  },
  {
    about: 'a table without a header',
    write(folder) {
      writeFileSync(join(folder, 'names.txt'), HEADERLESS.join('\n'))
      return fileOf('log.tsv', headerlessText)(folder)
    },
    records: tableRecords(headerlessText.replaceAll('"', '\u0001'), '\t', HEADERLESS).map((record) =>
      record.map((leaf) => ({ ...leaf, text: leaf.text.replaceAll('\u0001', '"') })),
    ),
    key: 'order_ref',
    edit: () => 'columns_from: names.txt\nfields: { event: action, distinct_id: person, timestamp: at }\n',
  },
  {
    about: "Python's NaN and Infinity",
    write: fileOf('scores.ndjson', pyText),
    records: jsonRecords(pyText),
    key: 'properties.run',
  },
  {
    about: "Segment's warehouse with \\N, NULL and None",
    write: fileOf('order_completed.csv', segmentText),
    records: tableRecords(segmentText, ','),
    key: 'revenue',
    alias: { id: 'messageId', user_id: 'userId', event: 'event_slug' },
  },
  {
    about: "Segment's rows in Snowflake's capitals",
    write: fileOf('REPORT_VIEWED.csv', capitalsText),
    records: tableRecords(capitalsText, ','),
    key: 'CONTEXT_IP',
    alias: { ID: 'messageId', USER_ID: 'userId', EVENT: 'event_slug' },
  },
  {
    about: 'Parquet with the names that databases use themselves',
    async write(folder) {
      const path = join(folder, 'scans.parquet')
      const rows = rowsOf(14, (i) => Object.values(parquetRow(i)).map((cell) => `'${cell}'`))
      const names = Object.keys(parquetRow(0)).map((name) => `"${name === 'color' ? 'colox' : name}"`)
      await writeParquet(
        path,
        `SELECT * FROM (VALUES ${rows.map((cells) => `(${cells.join()})`).join()}) AS v(${names.join()})`,
      )
      renameColumns(path, { colox: 'color' })
      if (!readFileSync(path).includes('color')) throw new Error('the column was not renamed')
      return [path]
    },
    records: jsonRecords(rowsOf(14, (i) => [JSON.stringify(parquetRow(i))]).join('\n')),
    key: 't',
  },
]
