import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import { AsRead } from '../../src/inputs/record-sink.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { formatReject } from '../../src/record/reject.ts'
import { testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/random.ts'
import { Collected } from './collected.ts'

const { columns } = parseMapping(
  `columns:
  a: { to: deep.a, type: number, decimal: "," }
  b: { to: deep.b, type: number }
  c: { type: time }
  d: { type: boolean }
  e: { type: json }
  f: { to: deep, json: true }
  h: { type: list, separator: "é" }
time_format: [DD.MM.YYYY HH:mm]
`,
  'm',
)
const HEADER = 'a,b,c,d,e,f,g,h'

/** Keeps each record as the file has it, beside its line. */
class Both extends Collected {
  readonly rows: Array<string | undefined> = []
  readonly asRead = new AsRead()

  override line(...line: Parameters<Collected['line']>): void {
    super.line(...line)
    this.rows.push(this.asRead.row?.().toString())
  }
}

async function read(name: string, text: string, withTable = false): Promise<Both> {
  const path = join(testFolder(), name)
  writeFileSync(path, text)
  const [input] = await listInputs([path])
  const sink = new Both()
  const table = withTable ? { table: 'orders' } : {}
  await readRecords({ ...input!, ...table }, sink, { columns, withTable, asRead: sink.asRead })
  return sink
}

const reject = (record: string) =>
  formatReject({ line: 2, offset: 9, reason: 'distinct_id_missing', message: 'x', record, cells: true })

test('a row is kept as it was read, and run again it is the same record', async () => {
  const row = '"1.234,50 €",12345678901234567890,24.12.2024 10:00,t,"{""x"": 1.0}","{""y"":[1]}",é,1é2'
  const made = await read('rows.csv', `${HEADER}\n${row}\n`)
  expect(made.lines).toEqual([
    '{"deep":{"y":[1],"a":1234.50,"b":12345678901234567890},"c":"2024-12-24T10:00:00.000000Z","d":true,"e":{"x": 1.0},"g":"é","h":["1","2"]}',
  ])
  expect(made.rows).toEqual([
    '{"deep":{"y":[1],"a":"1.234,50 €","b":"12345678901234567890"},"c":"24.12.2024 10:00","d":"t","e":"{\\"x\\": 1.0}","g":"é","h":"1é2"}',
  ])
  const again = await read('rows.rejects.ndjson', reject(made.rows[0]!))
  expect([again.lines, again.rows]).toEqual([made.lines, made.rows])
})

test("a row keeps its table's name", async () => {
  const made = await read('rows.csv', `${HEADER}\n"1,5",2,,,,,,\n`, true)
  expect(made.rows[0]).toMatch(/^\{"[^"]+":"orders","deep":\{"a":"1,5","b":"2"\}\}$/)
  const again = await read('rows.rejects.ndjson', reject(made.rows[0]!))
  expect([again.lines, again.rows]).toEqual([made.lines, made.rows])
})

const cell = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '1,5', '1.5', '1.234,5', '\u00a01', '1\u00a0'),
  fc.constantFrom('24.12.2024 10:00', '2024-01-01', 'T', '0'),
  fc.constantFrom('{"a":\n1}', '[1, 2]', 'null', '"', '\\', 'a\nb', 'é'),
)

test('whatever the cells hold, what was kept runs again as the same record', async () => {
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell, cell, cell, cell, cell), { minLength: 1 }),
      async (rows) => {
        const text = rows.map(([a, b, c, d, e, g, h]) =>
          [a, b, c, d, e, '', `-${g}`, h].map(quoted).join(','),
        )
        const made = await read('rows.csv', [HEADER, ...text, ''].join('\n'))
        expect(made.lines).toHaveLength(rows.length)
        const again = await read('rows.rejects.ndjson', made.rows.map((row) => reject(row!)).join(''))
        expect([again.lines, again.rows]).toEqual([made.lines, made.rows])
        expect(again.unread).toEqual(made.unread)
      },
    ),
    { seed: seedOf('typed-record'), numRuns: 60 },
  )
})

test('a record that was no row keeps text that a column type could read', async () => {
  const line = '{"deep":{"a":"1,5"},"d":"t"}'
  const rejects = formatReject({ line: 1, offset: 0, reason: 'x', message: 'x', record: line })
  const { lines, rows } = await read('mixed.rejects.ndjson', rejects)
  expect([lines, rows]).toEqual([[line], [undefined]])
})

test('a cell that holds no JSON is kept in a row as it was read, and mended gives the same record', async () => {
  const made = await read('rows.csv', `${HEADER}\n"1,5",,,,,{oops,x,\n`)
  expect(made.rejects).toMatchObject([{ reason: 'csv_cell_not_json', cells: true }])
  const { record } = made.rejects[0]!
  expect(record).toContain('"a":"1,5"')
  const mended = record!.replace('{oops', '"y":1')
  const good = await read('rows.csv', `${HEADER}\n"1,5",,,,,"{""y"":1}",x,\n`)
  expect((await read('rows.rejects.ndjson', reject(mended))).lines).toEqual(good.lines)
})

test('a row whose encoding is in doubt is kept as it was read, without the marks of doubt', async () => {
  const path = join(testFolder(), 'rows.csv')
  // É in UTF-8, in a file that is said to be of single bytes.
  writeFileSync(path, `${HEADER}\n"1,5",,,,,,É,\n`)
  const [input] = await listInputs([path])
  const sink = new Both()
  const { asRead } = sink
  await readRecords({ ...input!, encoding: 'windows-1252' }, sink, { columns, asRead })
  expect(sink.rejects).toMatchObject([
    { reason: 'bad_encoding', record: '{"deep":{"a":"1,5"},"g":"É"}', cells: true },
  ])
  expect(asRead.row).toBeUndefined()
})
