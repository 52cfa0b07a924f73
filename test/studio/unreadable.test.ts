import { expect, test } from 'vitest'
import { firstOf } from './first-of.ts'

const HEADER = 'event,user_id,timestamp,amount\n'
const rows = (count: number) =>
  Array.from({ length: count }, (_, at) => `buy,u${at % 4},2024-03-0${at + 1} 10:00:00,${at}.50\n`).join('')

test.each([
  [
    'lines that are dicts of Python',
    'x.ndjson',
    "{'a': 1}\n{'b': None}\n",
    /none of the 2 .*bad_json.*json\.dumps/,
  ],
  ['a list in a list', 'x.json', '[[{"event":"e"}]]', /the only record .*not_an_object/],
  ['numbers', 'x.ndjson', '1\n2\n', /none of the 2 records .*lines 1, 2 of x\.ndjson, such as "1"/],
  [
    'rows in single quotes',
    'x.csv',
    "'event','note'\n'buy','a, b'\n",
    /csv_field_count.*the row has 3 fields/,
  ],
  [
    'a header in Cyrillic',
    'x.csv',
    Buffer.from('cfeeeaf3efeae02c7569640af12c750a', 'hex'),
    /neither UTF-8 nor Windows-1252\. iconv/i,
  ],
])('%s are refused with the reason, and no mapping is guessed', async (_, name, content, message) => {
  await expect(firstOf({ [name]: content })).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(message),
    hint: expect.any(String),
  })
})

test('rows with other cells than the header are named, with their lines and one of them', async () => {
  const { asked, trial, yaml } = await firstOf(`${HEADER}${rows(4)}buy,u9\nbuy,u9,2024-03-09 10:00:00,1,00\n`)
  expect(trial).toMatchObject({ events: 4, rejected: 2 })
  expect(yaml).toContain('all of 6 records, 2 of which')
  expect(asked).toContain(
    '2 records of 6 can\'t be read, and become rejects (csv_field_count): lines 6, 7 of x.csv, such as "buy,u9": the row has 2 fields, the header has 4 fields',
  )
  expect(asked).not.toContain('the header? Then')
})

test('a piece of a table without its header is refused, whichever comes first', async () => {
  for (const [whole, piece] of [
    ['a.csv', 'b.csv'],
    ['b.csv', 'a.csv'],
  ] as const)
    await expect(firstOf({ [whole]: HEADER + rows(3), [piece]: rows(3) })).rejects.toMatchObject({
      message: expect.stringMatching(new RegExp(`${piece} has no header: .* columns of .*${whole}$`)),
      hint: expect.stringContaining('as cat does'),
    })
})

test('lines above the header are told', async () => {
  const { asked } = await firstOf(`"Report: Orders"\n"Made: today"\n\n${HEADER}${rows(6)}`)
  expect(asked).toContain('Is line 4 the header? Then delete the lines above it')
})

test.each(['', '\ufeff'])('a header that comes again is no record: %j', async (mark) => {
  const { asked, trial, missing } = await firstOf(`${mark}${HEADER}${rows(9)}${mark}${HEADER}${rows(9)}`)
  expect(missing).toEqual([])
  expect(trial).toMatchObject({ events: 18, rejected: 1, reasons: { csv_header_repeated: 1 } })
  expect(asked).toContain('(csv_header_repeated): line 11 of x.csv')
})

test.each([
  ['', 'sep=;\r\n'],
  ['\ufeff', 'sep=;\r\n'],
  ['', '"sep=;"\n'],
  ['', 'SEP=;\n'],
])("Excel's line of the delimiter is no header: %j", async (mark, line) => {
  const table = `${HEADER}${rows(6)}`.replaceAll(',', ';')
  const { trial, missing, findings } = await firstOf(`${mark}${line}${table}`)
  expect(missing).toEqual([])
  expect(findings.map(({ name }) => name)).toEqual(['event', 'user_id', 'timestamp', 'amount'])
  expect(trial).toMatchObject({ read: 6, events: 6 })
})

test('all that can not be read are counted, though the first alone are kept', async () => {
  const { asked } = await firstOf(`Report\n${HEADER}${rows(9).repeat(100)}one\n`)
  expect(asked).toContain("901 records of 902 can't be read")
  expect(asked).toContain('and 898 more')
  expect(asked).toContain('Is line 2 the header?')
})

test('lines that are no JSON are counted of those that were looked at', async () => {
  const line = (at: number) => `{"event":"a","distinct_id":"u${at}","timestamp":"2024-03-01T10:00:00Z"}\n`
  const lines = Array.from({ length: 20_000 }, (_, at) => (at % 2 === 0 ? line(at) : '{"event":\n'))
  const { asked } = await firstOf(lines.join(''))
  const [, count, of] = /^([\d,]+) records of ([\d,]+) can't be read/m
    .exec(asked)!
    .map((text) => Number(text.replaceAll(',', '')))
  expect(of).toBe(10_000)
  expect(count! / of!).toBeCloseTo(0.5, 1)
})
