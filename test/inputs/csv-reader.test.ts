import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHeader, readTable } from '../../src/inputs/csv-reader.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { isSplittable } from '../../src/inputs/read.ts'
import type { ColumnMapping } from '../../src/mapping/columns.ts'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { SNOWPLOW_COLUMNS } from '../../src/presets/recognise.ts'
import { CODE_POINT } from '../helpers/code-point.ts'
import { folderOf } from '../helpers/folder.ts'
import { plainFile } from '../helpers/input-file.ts'
import { seedOf } from '../helpers/random.ts'
import { Collected, readFileAs } from './collected.ts'

const input = (delimiter = ',') =>
  plainFile({ name: 'events.csv', path: 'events.csv', format: 'csv', delimiter })

const columnsOf = (yaml: string): ColumnMapping => parseMapping(yaml, 'm').columns

async function read(
  text: string | Buffer,
  columns: ColumnMapping = columnsOf(''),
  {
    sizes = [1 << 20],
    delimiter = ',',
    maxBytes,
  }: { sizes?: number[]; delimiter?: string; maxBytes?: number } = {},
): Promise<Collected> {
  const sink = new Collected()
  const bytes = Buffer.from(text as string)
  async function* chunks() {
    for (let at = 0, i = 0; at < bytes.length; i++) {
      const end = at + sizes[i % sizes.length]!
      yield bytes.subarray(at, end)
      at = end
    }
  }
  await readTable(input(delimiter), chunks(), sink, { columns, ...(maxBytes && { maxLineBytes: maxBytes }) })
  return sink
}

const quote = (cell: string) => `"${cell.replaceAll('"', '""')}"`
const cell = fc.oneof(
  fc.string({ unit: CODE_POINT }),
  fc.constantFrom(
    '',
    '"',
    '\\',
    'C:\\',
    '"\\"x',
    '"Hi"\nBob',
    ',',
    '\n',
    '\r\n',
    '\t',
    'a,b',
    'é\u2028',
    '{"a":1}',
    ' ',
  ),
)

test('rows become records, however the file is cut and whatever the cells hold', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell, cell), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      fc.constantFrom('\n', '\r\n'),
      fc.constantFrom(',', '\t', ';'),
      fc.boolean(),
      fc.boolean(),
      async (rows, sizes, lineEnd, delimiter, bom, lastEnd) => {
        const table = [['x', 'y', 'z'], ...rows].map((row) => row.map(quote).join(delimiter)).join(lineEnd)
        const text = `${bom ? '\uFEFF' : ''}${table}${lastEnd ? lineEnd : ''}`
        const { lines, rejects, places } = await read(text, undefined, { sizes, delimiter })
        expect(rejects).toEqual([])
        const filled = rows.filter((row) => row.some((value) => value !== ''))
        const expected = filled.map((row) =>
          Object.fromEntries(
            row.map((value, i) => ['xyz'[i], Buffer.from(value).toString()]).filter(([, v]) => v !== ''),
          ),
        )
        expect(lines.map((line) => JSON.parse(line))).toEqual(expected)
        const bytes = Buffer.from(text)
        places.forEach(({ offset, number }) => {
          const before = bytes.subarray(0, offset).toString('latin1')
          expect(before.endsWith('\n')).toBe(true)
          expect(number).toBe(before.split('\n').length)
        })
      },
    ),
    { seed: seedOf('csv-reader') },
  )
})

// The bytes of what JavaScript calls white space, of which csv-parse trims those that latin1 has.
const edge = fc.constantFrom('(', ')', '/', '_', 'à', 'Р', '\u00a0', '\u2028', '\u202f', '\u3000', 'x', '\v')
const bare = fc.array(edge, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''))

test('blanks beside delimiters are cut, and nothing else of a cell', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(bare, bare, fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.constantFrom(' , ', ', ', ' ,\t'),
      async (rows, between) => {
        const table = (delimiter: string) =>
          [
            `_x${delimiter}(y`,
            ...rows.map(([x, y, isQuoted]) => `${x}${delimiter}${isQuoted ? quote(`${y}\\N `) : y}`),
          ].join('\n')
        const [padded, plain] = [await read(table(between)), await read(table(','))]
        expect(padded.lines).toEqual(plain.lines)
        expect(padded.rejects).toEqual([])
      },
    ),
    { seed: seedOf('csv blanks') },
  )
  await expect(read('x, y\na, "5" in')).rejects.toThrow('line 2 has text behind a closing quote')
  const { lines } = await read('x , y\na,"\\N"\nb , \\N \n')
  expect(lines).toEqual(['{"x":"a","y":"\\\\N"}', '{"x":"b"}'])
})

test('cells go where the mapping file sends them', async () => {
  const columns = columnsOf(`
columns:
  name: event
  props: { to: properties, json: true }
  insert_id: properties.$insert_id
  n: { to: properties.deep.n, type: number }
  b: { to: properties.deep.b, type: boolean }
  junk: null
columns_rest: drop
`)
  const { lines, rejects } = await read(
    [
      'name,props,insert_id,n,b,junk,other',
      'signup,"{""a"": 12345678901234567890, ""f"":1.0}",id1,007,TRUE,j,o',
      'signup,{},id2,1E+5,yes,j,o',
      'signup,,,-0,false,j,o',
      'signup,null,,,,,',
      ',,,,,,o',
    ].join('\n'),
    columns,
  )
  expect(rejects).toEqual([])
  expect(lines).toEqual([
    '{"event":"signup","properties":{"a": 12345678901234567890, "f":1.0,"$insert_id":"id1","deep":{"n":"007","b":true}}}',
    '{"event":"signup","properties":{"$insert_id":"id2","deep":{"n":1E+5,"b":"yes"}}}',
    '{"event":"signup","properties":{"deep":{"n":-0,"b":false}}}',
    '{"event":"signup"}',
    '{}',
  ])
})

test('amounts and times that people write are read by the sign and the forms that the mapping file names', async () => {
  const columns = columnsOf(`
columns:
  total: { type: number, decimal: ',' }
  paid: { type: time }
time_format: [DD.MM.YYYY HH:mm, DD.MM.YYYY]
`)
  const text = 'total;paid\n1.234,50 €;01.03.2024 12:00\n1,234.50;02.03.2024\n3;2024-03-01T12:00:00Z\n'
  const { lines, unread } = await read(text, { ...columns, zone: 'Europe/Vienna' }, { delimiter: ';' })
  expect(lines).toEqual([
    '{"total":1234.50,"paid":"2024-03-01T11:00:00.000000Z"}',
    '{"total":"1,234.50","paid":"2024-03-01T23:00:00.000000Z"}',
    '{"total":3,"paid":"2024-03-01T12:00:00.000000Z"}',
  ])
  expect(unread).toEqual(['columns: total holds text that is no number'])
})

test('codes and cells of another currency or sign are not of the type number, and stay as they are', async () => {
  const columns = columnsOf(`
columns:
  code: { type: number, decimal: '.' }
  euros: { type: number, decimal: ',', currency: €, minus: after }
`)
  const rows = ['INV-1001;500,00- €', 'KD-00707;$ 500,00', 'AB12;-500,00 €', '007;500,00', '$7;5 €']
  const { lines, unread } = await read(['code;euros', ...rows].join('\n'), columns, { delimiter: ';' })
  expect(lines).toEqual([
    '{"code":"INV-1001","euros":-500.00}',
    '{"code":"KD-00707","euros":"$ 500,00"}',
    '{"code":"AB12","euros":"-500,00 €"}',
    '{"code":"007","euros":"500,00"}',
    '{"code":7,"euros":5}',
  ])
  expect(unread).toEqual([
    ...['code', 'code', 'euros', 'code', 'euros', 'code', 'euros'].map(
      (name) => `columns: ${name} holds text that is no number`,
    ),
  ])
})

test('a column has forms of times of its own, and lists are cut at their separator', async () => {
  const columns = columnsOf(`
columns:
  day: { type: time, format: excel }
  tags: { type: list, separator: · }
time_format: [MM/DD/YYYY]
`)
  const text = 'day,tags\n45650.75,é·"a"·\n01/02/2024,\\one\n'
  const { lines, unread } = await read(text, { ...columns, zone: 'Europe/Vienna' })
  expect(lines).toEqual([
    '{"day":"2024-12-24T17:00:00.000000Z","tags":["é","\\"a\\"",""]}',
    '{"day":"01/02/2024","tags":["\\\\one"]}',
  ])
  expect(unread).toEqual(['columns: day holds text that is no time'])
})

test('cells of a type are written as it, to the digit; what is not of it stays text and is counted', async () => {
  const columns = columnsOf(`
columns:
  n: { type: number }
  b: { type: boolean }
  t: { to: at, type: time }
  j: { type: json }
`)
  const rows = [
    ['12345678901234567890.50', 't', '2024-07-01 12:00:00.25', '{"a": 1.0}'],
    [' 1E+5 ', '0', '1714557600', '[1,\n2]'],
    ['1,234', 'yes', '2024-07-01', '{a: 1}'],
    ['NaN', '2', 'yesterday', 'plain'],
    ['', '', '2024-07-01T12:00:00+05:30', ''],
    ['+1', 'FALSE', '99999999999999999999', 'null'],
  ]
  const text = ['n,b,t,j', ...rows.map((row) => row.map(quote).join(','))].join('\n')
  const { lines, rejects, unread } = await read(text, { ...columns, zone: 'Europe/Vienna' })
  expect(rejects).toEqual([])
  expect(lines).toEqual([
    '{"n":12345678901234567890.50,"b":true,"at":"2024-07-01T10:00:00.250000Z","j":{"a": 1.0}}',
    '{"n":1E+5,"b":false,"at":"2024-05-01T10:00:00.000000Z","j":[1, 2]}',
    '{"n":"1,234","b":"yes","at":"2024-06-30T22:00:00.000000Z","j":"{a: 1}"}',
    '{"n":"NaN","b":"2","at":"yesterday","j":"plain"}',
    '{"at":"2024-07-01T06:30:00.000000Z"}',
    '{"n":"+1","b":false,"at":"99999999999999999999","j":null}',
  ])
  expect(unread.sort()).toEqual([
    ...['columns: b holds text that is no boolean', 'columns: b holds text that is no boolean'],
    ...['columns: j holds text that is no json', 'columns: j holds text that is no json'],
    ...['columns: n holds text that is no number', 'columns: n holds text that is no number'],
    ...['columns: n holds text that is no number', 'columns: t holds text that is no time'],
    'columns: t holds text that is no time',
  ])
})

test('JSON cells are spliced byte for byte, on one line', async () => {
  const json = columnsOf('columns: { v: { json: true } }')
  const cells = [
    '12345678901234567890',
    '[1.0, 1E+5,\r\n-0]',
    '"\\u00e9 é"',
    'null',
    '{"a": {"b":  1}}',
    'true',
  ]
  const { lines, rejects } = await read(`v,w\n${cells.map((text) => `${quote(text)},x`).join('\n')}`, json)
  expect(rejects).toEqual([])
  expect(lines).toEqual(cells.map((text) => `{"v":${text.replace(/\r\n/, '  ')},"w":"x"}`))
})

test('a cell that is no JSON rejects its row, and the record can be mended in place', async () => {
  const columns = columnsOf(
    'columns: { p: { to: properties, json: true }, q: properties.q, r: { json: true } }',
  )
  const { lines, rejects } = await read(
    [
      'id,p,q,r',
      '1,"{a: ""é""}",x,',
      '2,[1],x,1',
      '3,{"a":1},y,"[true]"',
      '4,,y,"{""cut"": ""sh\nort"',
      '5,,,"1,""x"":2"',
    ].join('\n'),
    columns,
  )
  expect(lines).toEqual(['{"id":"3","properties":{"a":1,"q":"y"},"r":[true]}'])
  expect(rejects).toMatchObject([
    { line: 2, offset: 9, reason: 'csv_cell_not_json', record: '{"id":"1","properties":{a: "é","q":"x"}}' },
    { line: 3, record: '{"id":"2","properties":{[1],"q":"x"},"r":1}' },
    { line: 5, record: '{"id":"4","properties":{"q":"y"},"r":{"cut": "sh ort}' },
    { line: 7, record: '{"id":"5","r":1,"x":2} !' },
  ])
  expect(rejects[0]!.message).toMatch(/^column "p" does not hold JSON: /)
  expect(rejects[1]!.message).toBe('column "p" does not hold JSON: it is no JSON object')
  for (const { record } of rejects) expect(() => JSON.parse(record!)).toThrow()
})

test('a row with too many or too few fields is a reject with its text; the others are read', async () => {
  const { lines, rejects } = await read('a,b\r\n1,2\r\n\r\n3\r\n"4\r\n4",5,6\r\n  \r\n7,8\r\n')
  expect(lines).toEqual(['{"a":"1","b":"2"}', '{"a":"7","b":"8"}'])
  expect(rejects).toEqual([
    {
      line: 4,
      offset: 10,
      reason: 'csv_field_count',
      message: 'the row has 1 field, the header has 2 fields',
      record: '3',
    },
    {
      line: 5,
      offset: 15,
      reason: 'csv_field_count',
      message: 'the row has 3 fields, the header has 2 fields',
      record: '"4\r\n4",5,6',
    },
  ])
})

test('bytes that are no UTF-8 come through as they are, for the scanner to refuse', async () => {
  const sink = new Collected()
  const seen: Buffer[] = []
  sink.line = (bytes, start, end) => void seen.push(Buffer.from(bytes.subarray(start, end)))
  async function* chunks() {
    yield Buffer.from('a,b\n\xff\xe9,\u20ac', 'latin1')
  }
  await readTable(input(), chunks(), sink, { columns: columnsOf('') })
  expect(seen.map((line) => line.toString('latin1'))).toEqual(['{"a":"\xff\xe9","b":"\xac"}'])
})

test('bare quotes inside a cell belong to it, as warehouses write them', async () => {
  const columns = columnsOf('columns: { p: { json: true } }')
  const { lines } = await read('n\tp\nx\t{"a":"b, c"}\nsay "hi"\t\n', columns, { delimiter: '\t' })
  expect(lines).toEqual(['{"n":"x","p":{"a":"b, c"}}', '{"n":"say \\"hi\\""}'])
})

test('a header without rows, and nothing at all, are no records', async () => {
  for (const text of ['', 'a,b', 'a,b\n', '\uFEFFa,b\n']) {
    expect(await read(text)).toMatchObject({ lines: [], rejects: [] })
  }
})

test('a header is read alone and whole, however long it is', async () => {
  const names = ['é', 'a "b"', ...Array.from({ length: 4000 }, (_, i) => `column_${i}`)]
  const table = Buffer.from(`\uFEFF${names.map(quote).join(',')}\n${'1,'.repeat(4001)}1\n"open`)
  async function* chunks() {
    for (let at = 0; at < table.length; at += 17_000) yield table.subarray(at, at + 17_000)
  }
  expect(await readHeader(input(), chunks())).toEqual(names)
  async function* open() {
    yield Buffer.from('a,"b')
  }
  await expect(readHeader(input(), open())).rejects.toMatchObject({ code: 'input' })
})

test('a quote that is never closed is said with its line, and holds at most the cap', async () => {
  const open = `a,b\n1,2\n3,"${'x\n'.repeat(500)}`
  for (const maxBytes of [undefined, 200]) {
    await expect(read(open, undefined, { ...(maxBytes && { maxBytes }) })).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(/^events\.csv: the row that begins on line 3 /),
    })
  }
})

test.each([
  ['a,a\n', '', /two columns named "a"/],
  ['a,,b\n', '', /column 2 of events\.csv has no name/],
  ['a,b\n', 'columns: { aa: x }', /no column "aa", which the mapping file names/],
  ['a,b\n', 'columns: { a: x, b: x }', /"a" and "b" would go to the same place/],
  ['a,b\n', 'columns: { a: x, b: x.y }', /"a" and "b" would go to the same place/],
  ['b,a\n', 'columns: { a: x, b: x.y }', /"b" and "a" would go to the same place/],
  ['a,b\n', 'columns: { a: b }', /"a" and "b" would go to the same place/],
])('the header %j with %j is refused', async (text, yaml, message) => {
  await expect(read(text, columnsOf(yaml))).rejects.toMatchObject({
    code: 'config',
    message: expect.stringMatching(message),
  })
})

test('columns that are dropped may have any name, or none, or the same', async () => {
  const { lines } = await read('a,,,x,x\n1,2,3,4,5', columnsOf('columns: { "": null, x: null, gone: null }'))
  expect(lines).toEqual(['{"a":"1"}'])
})

test('columns that the preset would leave out are refused, also those that the mapping file puts there', async () => {
  const only = { preset: 'posthog', members: ['event', 'properties'] }
  const columns = (yaml: string) => ({ ...columnsOf(yaml), only })
  const table = 'event,plan,seats\nE,pro,3'
  await expect(read(table, columns('columns: { plan: extra, seats: null }'))).rejects.toMatchObject({
    code: 'config',
    message: expect.stringContaining('does not read: "plan"'),
  })
  await expect(read(table, columns('{}'))).rejects.toThrow('"plan", "seats"')
  const { lines } = await read(table, columns('columns: { plan: properties.plan }\ncolumns_rest: drop'))
  expect(lines).toEqual(['{"properties":{"plan":"pro"}}'])
})

test('the escapes of COPY are undone where the mapping file says so, and nowhere else', async () => {
  const text = 'id\tnote\n1\ta\\tb\\\\N\n\\N\t"q\\\n2\\\t3\n\\\\N\t\\x41\n\\.\n'
  const columns = columnsOf('columns_escape: backslash')
  for (const sizes of [[1], [3, 1], [1 << 20]]) {
    const { lines, rejects, places } = await read(text, columns, { delimiter: '\t', sizes })
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { id: '1', note: 'a\tb\\N' },
      { note: '"q\n2\t3' },
      { id: '\\N', note: 'A' },
    ])
    expect(places.map(({ number }) => number)).toEqual([2, 3, 5])
    expect(rejects).toEqual([])
  }
  const asWritten = await read('id\tnote\n1\ta\\tb\n', columnsOf(''), { delimiter: '\t' })
  expect(asWritten.lines).toEqual(['{"id":"1","note":"a\\\\tb"}'])
})

test('quotes that a backslash escapes within quotes, as Spark writes them, are read by what the head shows', async () => {
  const escaped = (text: string) => `"${text.replaceAll(/[\\"]/g, '\\$&')}"`
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(cell, cell), { maxLength: 8 }),
      fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 4 }),
      async (rows, sizes) => {
        const all = [['u1', '{"plan":"pro","n":1}'], ...rows]
        const text = `id,props\n${all.map(([id, props]) => `${escaped(id!)},${escaped(props!)}\n`).join('')}`
        const { lines, rejects } = await read(text, columnsOf(''), { sizes })
        const full = ([id, props]: readonly string[]) => ({ ...(id && { id }), ...(props && { props }) })
        expect(lines.map((line) => JSON.parse(line))).toEqual(
          all.filter((row) => row.some((value) => value !== '')).map(full),
        )
        expect(rejects).toEqual([])
      },
    ),
    { seed: seedOf('escaped quotes') },
  )
  const said = 'id,note\nu1,"said \\"hi\\""\n'
  await expect(read(said, columnsOf('columns_escape: backslash'))).rejects.toThrow('has cells in quotes')
  // What the head does not show is a reject, and can be said.
  const late = `id,note\n${'u1,x\n'.repeat(8000)}u2,"said \\"hi\\""\n`
  const { rejects } = await read(late, columnsOf(''), { sizes: [1 << 14] })
  expect(rejects.map(({ reason }) => reason)).toEqual(['csv_escaped_quote'])
  const { lines } = await read(late, columnsOf('columns_escape: quotes'), { sizes: [1 << 14] })
  expect(lines.at(-1)).toBe('{"id":"u2","note":"said \\"hi\\""}')
})

test.each([
  ['text behind the quote that closes', 'x 5" y'],
  ['a quote that closes by chance', 'inch 5"'],
])('rows that an open quote took along are a reject: %s', async (_, note) => {
  for (const delimiter of [',', '\t']) {
    const rows = Array.from({ length: 9 }, (_, n) => [
      'e',
      `u${n}`,
      `t${n}`,
      n === 2 ? '"open' : n === 5 ? note : 'n',
    ])
    const text = [['event', 'user', 'ts', 'note'], ...rows].map((row) => `${row.join(delimiter)}\n`).join('')
    const { lines, rejects } = await read(text, columnsOf(''), { delimiter })
    expect([lines.length, rejects.map(({ reason }) => reason)]).toEqual([5, ['csv_open_quote']])
  }
  const text = 'a,b,c\n1,"two, lines\nof, text",x\n2,"""Hi""\nsaid",y\n'
  expect((await read(text)).lines).toHaveLength(2)
})

test('a second header with the columns in another order ends the reading: rows would go under wrong names', async () => {
  const text = 'user,event,ts\nu1,a,1\nevent,user,ts\nb,u2,2\n'
  await expect(read(text)).rejects.toThrow('line 3 is a header with other columns')
  await expect(read('user,event,ts\nu1,a,1\nuser,event,plan\nb,u2,2\n')).rejects.toThrow('line 3 is a header')
  const nameless = columnsOf('columns: { "": null }')
  const other = read('user,event,ts,,,\nu1,a,1,,,\nevent,user,,,,\n', nameless)
  await expect(other).rejects.toThrow('line 3 is a header')
  const blank = 'user,event,ts,,,,\nu1,a,1,,,,\n,,,,,,\nuser,event,ts,,,,\n'
  const { lines, rejects } = await read(blank, nameless)
  expect([lines.length, rejects.map(({ reason }) => reason)]).toEqual([1, ['csv_header_repeated']])
})

test('a table without a header gets its names from the mapping file, and its first row is a record', async () => {
  const columns = columnsOf('columns_header: [who, what]\ncolumns: { what: event }')
  const { lines, places, rejects } = await read('u1,"a,b"\nu2,c\nu3\n', columns)
  expect(lines).toEqual(['{"who":"u1","event":"a,b"}', '{"who":"u2","event":"c"}'])
  expect(places[0]).toEqual({ offset: 0, number: 1 })
  expect(rejects.map(({ message }) => message)).toEqual(['the row has 1 field, columns_header has 2 fields'])
})

const ROW: Readonly<Record<string, string>> = {
  app_id: 'shop',
  collector_tstamp: '2024-06-01 08:22:04.000',
  event: 'unstruct',
  event_id: 'c6ef3124-b53a-4b13-a233-0088f79dcbcb',
  page_title: 'The "best", größte\\n shop',
  unstruct_event: '{"schema":"iglu:a/b","data":{"x":"a \\" b"}}',
}
const row = (cells: Readonly<Record<string, string>>, width = 131) =>
  Array.from({ length: width }, (_, i) => cells[SNOWPLOW_COLUMNS[i] ?? `column_${i + 1}`] ?? '').join('\t')

test('the first row is a row, quotes are data, and what is empty or \\N is absent', async () => {
  const rows = [row(ROW), `${row({ ...ROW, app_id: '' })}\r`, row({ ...ROW, app_id: '\\N' })]
  const { lines, places } = await readFileAs('part-00000', `${rows.join('\n')}\n`)
  const { app_id: _, ...other } = ROW
  expect(lines).toEqual([ROW, other, other].map((cells) => JSON.stringify(cells)))
  expect(places[1]).toMatchObject({ number: 2 })
})

test.each(['part-00000.gz', 'run.tsv.gz', 'x.csv.gz', 'x.json.gz'])(
  '%s is known by its rows',
  async (name) => {
    expect((await readFileAs(name, gzipSync(`${row(ROW)}\n`))).lines).toEqual([JSON.stringify(ROW)])
  },
)

test('a row may end early or go on: what has no name is called by its place', async () => {
  const { lines } = await readFileAs('a.tsv', `${row(ROW, 59)}\n${row({ ...ROW, column_133: 'new' }, 133)}\n`)
  expect(lines).toEqual([JSON.stringify(ROW), JSON.stringify({ ...ROW, column_133: 'new' })])
})

test('a row that is none, wherever it is, stays a record to be judged', async () => {
  const { lines } = await readFileAs('a.tsv', `oops\n${row(ROW)}\n"\n`)
  expect(lines).toEqual(['{"app_id":"oops"}', JSON.stringify(ROW), '{"app_id":"\\""}'])
  const { rejects } = await readFileAs('a.tsv', `${row(ROW)}\n${'x\t'.repeat(2500)}\n`)
  expect(rejects).toMatchObject([{ reason: 'too_many_columns', line: 2 }])
})

test('a table with a header of the same columns is read by its header', async () => {
  const table = `${SNOWPLOW_COLUMNS.join('\t')}\n${row({ ...ROW, page_title: 'x', unstruct_event: '' })}\n`
  expect((await readFileAs('events.tsv', table)).lines).toHaveLength(1)
})

test('a plain file can be cut at any line, and the columns of a mapping file hold', async () => {
  const folder = folderOf({ 'a.tsv': `${row(ROW)}\n` })
  const [input] = await listInputs([folder])
  expect(isSplittable(input!)).toBe(true)
  const columns = {
    columns: { app_id: null, event: { path: ['kind'], json: false, type: undefined } },
    rest: 'drop',
  } as const
  expect((await readFileAs('a.tsv', `${row(ROW)}\n`, { columns })).lines).toEqual(['{"kind":"unstruct"}'])
})
