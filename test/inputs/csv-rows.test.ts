import { type Info, parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type CsvRow, CsvRows } from '../../src/inputs/csv-rows.ts'
import type { Escapes } from '../../src/mapping/columns.ts'
import { seedOf } from '../helpers/random.ts'

interface Read {
  readonly cells: readonly string[]
  readonly offset: number
  readonly line: number
  readonly raw: string
}

interface Table {
  readonly delimiter?: string
  readonly bom?: boolean
  readonly maxBytes?: number
  readonly escapes?: Escapes
}

const BOM = '\xef\xbb\xbf'
const trimmed = (raw: string) => raw.replace(/^[\r\n]+|[\r\n]+$/g, '')

/** The rows of a text in latin1 that comes in chunks of these sizes; the line of a row that has no end comes last. */
function ours(
  text: string,
  sizes: readonly number[],
  { delimiter = ',', bom, maxBytes = 1000, escapes }: Table = {},
): unknown[] {
  const rows: Read[] = []
  const bytes = Buffer.from(bom ? BOM + text : text, 'latin1')
  const take = ({ cells, offset, line, raw }: CsvRow) =>
    rows.push({ cells, offset, line, raw: trimmed(raw.toString('latin1')) })
  const reader = new CsvRows(bytes, { delimiter, path: 'events.csv', escapes }, maxBytes, take)
  try {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      // A mark of the byte order is never cut.
      const size = Math.max(sizes[i % sizes.length]!, at === 0 && bom ? BOM.length : 1)
      reader.push(bytes.subarray(at, at + size))
      at += size
    }
    reader.end()
  } catch (error) {
    expect(error).toMatchObject({ code: 'input', message: expect.stringContaining('has no end') })
    return [...rows, Number(/begins on line (\d+)/.exec((error as Error).message)![1])]
  }
  return rows
}

/** The same by csv-parse from the whole text, with the places that it tells. */
function theirs(text: string, { delimiter = ',', bom = false, maxBytes = 1000 }: Table = {}): unknown[] {
  const rows: Read[] = []
  const before = bom ? BOM.length : 0
  let [end, emptyLines] = [0, 0]
  const line = () => text.slice(0, end).split('\n').length
  const onRecord = (row: unknown, info: Info) => {
    const { record, raw } = row as { record: string[]; raw: string }
    const offset = end === 0 ? 0 : end + before
    rows.push({ cells: record, offset, line: line() + info.empty_lines - emptyLines, raw: trimmed(raw) })
    end = info.bytes
    emptyLines = info.empty_lines
    return null
  }
  try {
    parse(Buffer.from(text, 'latin1'), {
      encoding: 'latin1',
      delimiter,
      record_delimiter: text.includes('\r') && !text.includes('\n') ? '\r' : ['\r\n', '\n'],
      relax_column_count: true,
      relax_quotes: true,
      skip_empty_lines: true,
      max_record_size: maxBytes,
      raw: true,
      on_record: onRecord,
    })
  } catch (error) {
    expect((error as { code: string }).code).toMatch(/^CSV_(QUOTE_NOT_CLOSED|MAX_RECORD_SIZE)$/)
    return [...rows, line()]
  }
  return rows
}

const anyOf = (...pieces: string[]) =>
  fc.array(fc.constantFrom(...pieces), { maxLength: 24 }).map((chosen) => chosen.join(''))
const SIGNS = ['a', ' ', ',', ',', ';', '\t', '"', '""', '"x"', ',"', '",', '\0', '\xe9']
const text = fc.oneof(
  anyOf(...SIGNS, '\n', '\r\n', '\r', '"\r', '"\n', '"\r\n'),
  anyOf(...SIGNS, '\n', ',"b\nc",', '"d""e"'),
  anyOf(...SIGNS, '\r', '"\r'),
)

test('rows, places and raw text are those of the whole text, whatever it is and however it is cut', () => {
  fc.assert(
    fc.property(
      text,
      fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 3 }),
      fc.constantFrom(',', ';', '\t'),
      fc.boolean(),
      fc.constantFrom(1000, 6),
      (text, sizes, delimiter, bom, maxBytes) => {
        const table = { delimiter, bom, maxBytes }
        expect(ours(text, sizes, table)).toEqual(theirs(text, table))
      },
    ),
    { seed: seedOf('csv-rows'), numRuns: 3000 },
  )
})

test.each([
  ...['a,b\n1,2\n', 'a,b\r\n"1\r\n1",2\r\n\r\n\r\n3\r\n', 'a\r"b\rc"\r\rd', 'a\r"b\nc"\n\r"d\n\r'],
  ...['a,b\n"x"y,2\n"x""y"z","', '"a""",b\n"",""\n""', '"a\0",b\n"a"\0"b",c\n'],
  ...['"a"\r,b\n"a"\r\r\n"a\r"\n"a"\r', '"a\r",\n"b\r",\r\n', 'a,"b\n\nc"\n\n\nd\n"e', ',\n,,\n\n,'],
])('%j is read as a whole', (text) => {
  for (const size of [1, 2, 3, 100]) expect(ours(text, [size])).toEqual(theirs(text))
})

test('a row holds as many bytes as it may, quoted or not, and no more', () => {
  for (const length of [9, 10, 11, 12]) {
    const content = 'x'.repeat(length)
    const rows = [
      content,
      `"${content}"`,
      `${content.slice(1)},x`,
      `"${'""'.repeat(length)}"`,
      `"${content}"y`,
    ]
    for (const text of rows.map((row) => `a\n${row}\n`)) {
      const expected = theirs(text, { maxBytes: 10 })
      for (const size of [100, 1])
        expect([text, ours(text, [size], { maxBytes: 10 })]).toEqual([text, expected])
    }
  }
})

test('cells larger than what is kept for rows, and more of them, come whole in any number of chunks', () => {
  const cells = [
    'x'.repeat(200_000),
    `"${'y""\n'.repeat(50_000)}"`,
    `"${'z'.repeat(70_000)}"w`,
    ...'abc'.repeat(50),
  ]
  const text = `${cells.join(',')}\nd,e\n`
  const expected = theirs(text, { maxBytes: 1e6 })
  for (const size of [65_536, 1e6]) expect(ours(text, [size], { maxBytes: 1e6 })).toEqual(expected)
})

test('a row that never ends is refused when it holds more than a row may, not at the end of the file', () => {
  const rows = new CsvRows(Buffer.from('a\n'), { delimiter: ',', path: 'events.csv' }, 100, () => undefined)
  rows.push(Buffer.from('a\n"'))
  rows.push(Buffer.alloc(100, 'x'))
  expect(() => rows.push(Buffer.alloc(100, 'x'))).toThrow('the row that begins on line 2 has no end')
})

test.each([
  ['a,"\\N",\\N,"\\N"x\n', ['a', '\\N', '', '"\\N"x']],
  ['a,\\N,b\n', ['a', '', 'b']],
  ['\n\n"\\N"', ['\\N']],
])('%j: a cell of \\N is empty only without quotes', (text, cells) => {
  for (const size of [1, 100]) expect(ours(text, [size])).toMatchObject([{ cells }])
})

test("rows of COPY's form go on after an escaped line end, and keep their places", () => {
  const text = 'a\tb\n\n\\.\nc\\\n\\\td\t"e\r\nf\\\n'
  const raw = 'c\\\n\\\td\t"e'
  for (const size of [1, 3, 100]) {
    expect(ours(text, [size], { delimiter: '\t', escapes: 'backslash' })).toEqual([
      { cells: ['a', 'b'], offset: 0, line: 1, raw: 'a\tb' },
      { cells: ['c\n\td', '"e'], offset: 4, line: 4, raw },
      { cells: ['f\n'], offset: text.indexOf('f'), line: 6, raw: 'f\\' },
    ])
    const endless = 'a\\\n'.repeat(20)
    expect(ours(endless, [size], { escapes: 'backslash', maxBytes: 10 })).toEqual([1])
  }
})

const seed = seedOf('copy')

test.each([
  ['plain', 'plain'],
  ['a\\tb\\nc\\rd\\\\e', 'a\tb\nc\rd\\e'],
  ['\\b\\f\\v', '\b\f\v'],
  ['\\101\\7x\\0', 'A\x07x\0'],
  ['\\x41\\xZ\\x9!', 'AxZ\t!'],
  ['C:\\\\new', 'C:\\new'],
  // MySQL puts a backslash before the character itself.
  ['a\\\tb\\\nc', 'a\tb\nc'],
  ['\\"', '"'],
  ['ends \\', 'ends \\'],
])('%j is %j', (cell, text) => expect(undone(cell)).toBe(text))

test('what COPY writes is read again, whatever it holds', () => {
  const copied = (text: string) =>
    text.replace(
      /[\\\t\n\r\b\f\v]/g,
      (char) => `\\${{ '\t': 't', '\n': 'n', '\r': 'r', '\b': 'b', '\f': 'f', '\v': 'v' }[char] ?? char}`,
    )
  const texts = fc.array(fc.constantFrom('\\', '\t', '\n', '\r', '\v', 'x', '4', 'N', '0', 'é'), {
    maxLength: 12,
  })
  fc.assert(
    fc.property(texts, (pieces) => {
      expect(undone(copied(pieces.join('')))).toBe(pieces.join(''))
    }),
    { seed },
  )
})

function undone(cell: string): string {
  let read = ''
  const table = { path: 'events.tsv', delimiter: '\t' }
  const rows = new CsvRows(
    Buffer.from('\n'),
    { ...table, escapes: 'backslash' },
    1000,
    ({ cells }) => (read = cells.join('|')),
  )
  rows.push(Buffer.from(cell))
  rows.end()
  return Buffer.from(read, 'latin1').toString()
}

describe('a row that holds more than a row may is skipped with its place and size, and no other', () => {
  const long = 'x'.repeat(150)
  test.each<[string, string, string]>([
    ['without quotes', `u2,${long}`, '\n'],
    ['in quotes, with line ends, quotes and delimiters', `"u2","${long}\n""a"",\nb","c"`, '\n'],
    ['a quote that is the cell’s own', `u2,"${long}"y,"z"`, '\n'],
    ['line ends of Windows', `u2,"${long}\r\n"`, '\r\n'],
    ['the last row, which has no line end', `u2,${long}`, ''],
    ['of COPY', `u2\t${long}\\\\`, '\n'],
    [
      'of COPY, with an escaped delimiter and line ends',
      `u2\t"${'x'.repeat(60)}\\\n${'y'.repeat(60)}\\\n\\\tz`,
      '\n',
    ],
    ['of COPY, in many short lines', 'y\\\n'.repeat(70), '\n'],
    ['of COPY, with line ends of Windows', `u2\t${long}\r\\\n"`, '\r\n'],
    ['of Spark', `u2,"\\"${long}\\"\n\\\\"`, '\n'],
    ['the last of COPY', `u2\t${long}`, ''],
  ])('%s', (name, row, lineEnd) => {
    const isCopy = name.includes('of COPY')
    const escapes = isCopy ? 'backslash' : name.includes('of Spark') ? 'quotes' : undefined
    const delimiter = isCopy ? '\t' : ','
    const before = `a${delimiter}b\nu1${delimiter}1\n\n`
    const after = lineEnd === '' ? '' : `u3${delimiter}3\n`
    const bytes = Buffer.from(`${before}${row}${lineEnd}${after}`)
    for (const size of [1, 7, 64, 1000]) {
      const rows: string[] = []
      const skipped: number[][] = []
      const reader = new CsvRows(
        bytes,
        { delimiter, escapes, path: 'x.csv', tooLong: (...place) => skipped.push(place) },
        100,
        ({ cells, line, offset }) => rows.push(`${cells[0]} ${line} ${offset}`),
      )
      for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size))
      reader.end()
      expect(skipped).toEqual([[before.length, row.length + lineEnd.length, 4]])
      const end = before.length + row.length + lineEnd.length
      const line = 5 + (row.match(/\n/g) ?? []).length
      expect(rows).toEqual(['a 1 0', 'u1 2 4', ...(after === '' ? [] : [`u3 ${line} ${end}`])])
    }
  })
})
