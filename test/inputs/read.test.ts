import { writeFileSync } from 'node:fs'
import { appendFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { listInputs } from '../../src/inputs/list.ts'
import { isSplittable, readRecords } from '../../src/inputs/read.ts'
import { NO_COLUMNS } from '../../src/mapping/columns.ts'
import { formatReject } from '../../src/record/reject.ts'
import { folderOf, testFolder } from '../helpers/folder.ts'
import { seedOf } from '../helpers/random.ts'
import { Collected, readFileAs } from './collected.ts'

const lines = Array.from({ length: 30_000 }, (_, i) => `{"event":"e${i}","n":${'9'.repeat(i % 40)}}`)
const text = `${lines.join('\n')}\n`

test('a format is told by content, whatever the name says', async () => {
  const records = ['{"a":"1","b":"2"}', '{"a":"3","b":"4"}']
  const contents = [
    `${records.join('\n')}\n`,
    `\uFEFF${records.join('\r\n')}`,
    `[${records.join(',\n')}]`,
    'a,b\n1,2\n3,4\n',
    '\uFEFF"a"\t"b"\r\n1\t2\r\n3\t4',
  ]
  for (const content of contents) {
    for (const name of ['x.ndjson', 'x.json', 'x.csv', 'x.txt', 'x']) {
      if (/^["\uFEFFa]*[a,]/.test(content) && /json$/.test(name)) continue
      expect([name, (await readFileAs(name, content)).lines]).toEqual([name, records])
      expect((await readFileAs(`${name}.gz`, gzipSync(content))).lines).toEqual(records)
      expect((await readFileAs(name, gzipSync(content))).lines).toEqual(records)
    }
  }
})

test('empty files have no records', async () => {
  for (const name of ['x.ndjson', 'x.json', 'x.csv']) {
    for (const content of ['', '\n', '\uFEFF']) expect((await readFileAs(name, content)).lines).toEqual([])
  }
  expect((await readFileAs('x.json', '[]')).lines).toEqual([])
  expect((await readFileAs('x.ndjson.gz', gzipSync(''))).lines).toEqual([])
})

test('a gzip file of many members is read to its end', async () => {
  const members = [lines.slice(0, 100), lines.slice(100, 20_000), [], lines.slice(20_000)]
  const packed = Buffer.concat(members.map((part) => gzipSync(part.map((line) => `${line}\n`).join(''))))
  expect((await readFileAs('x.gz', packed)).lines).toEqual(lines)
  const padded = Buffer.concat([packed, Buffer.alloc(600_000)])
  expect((await readFileAs('x.gz', padded)).lines).toEqual(lines)
})

test('gzip data that is cut or damaged is never a short file', async () => {
  const packed = gzipSync(text)
  const cuts = [
    packed.length - 1,
    packed.length - 8,
    packed.length - 9,
    packed.length >> 1,
    packed.length >> 2,
    12,
  ]
  for (const cut of cuts) {
    await expect(readFileAs('x.gz', packed.subarray(0, cut))).rejects.toMatchObject({
      code: 'input',
      message: expect.stringMatching(/x\.gz is cut short/),
    })
  }
  const two = Buffer.concat([packed, packed])
  await expect(readFileAs('x.gz', two.subarray(0, two.length - 5))).rejects.toThrow(/x\.gz is cut short/)
  const flipped = Buffer.from(packed)
  flipped[packed.length - 6]! ^= 1
  await expect(readFileAs('x.gz', flipped)).rejects.toThrow(/x\.gz is damaged/)
  await expect(readFileAs('x.gz', Buffer.concat([packed, Buffer.from('more')]))).rejects.toThrow(
    /x\.gz is damaged/,
  )
  await expect(readFileAs('x.gz', Buffer.alloc(0))).rejects.toThrow(/x\.gz is cut short/)
  const nonsense = Buffer.from('\x1f\x8b\x08\0\0\0\0\0\0\x03zzzzzzzzzz', 'latin1')
  await expect(readFileAs('x.ndjson.gz', nonsense)).rejects.toThrow(/gz is (damaged|cut short)/)
  const gap = Buffer.concat([packed, Buffer.alloc(700_000), packed])
  await expect(readFileAs('x.gz', gap)).rejects.toThrow(
    /x\.gz is damaged gzip data: there is data after its end/,
  )
})

test('ranges of a file share no line and leave none out, wherever they are cut', async () => {
  const content = `\uFEFF${['{"a":1}', '', '{"b":"é"}', `{"c":"${'x'.repeat(50)}"}`, '{"d":1}\r', '{"last":1}'].join('\n')}`
  const folder = folderOf({ 'a.ndjson': content })
  const [input] = await listInputs([folder])
  const whole = new Collected()
  const all = await readRecords(input!, whole)
  expect(all).toBe(5)
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(fc.integer({ min: 1, max: input!.size - 1 }), { maxLength: 6 }),
      async (cuts) => {
        const edges = [0, ...cuts.sort((a, b) => a - b), input!.size]
        const parts = new Collected()
        let before = 0
        for (let i = 0; i + 1 < edges.length; i++) {
          const part = new Collected()
          const end = await readRecords(input!, part, { range: { start: edges[i]!, end: edges[i + 1]! } })
          parts.lines.push(...part.lines)
          parts.places.push(...part.places.map(({ offset, number }) => ({ offset, number: number + before })))
          before += end
        }
        expect(parts.lines).toEqual(whole.lines)
        expect(parts.places).toEqual(whole.places)
      },
    ),
    { seed: seedOf('read'), numRuns: 60 },
  )
})

test('reading stops early when it is told to, in every format, without taking a part for the whole', async () => {
  const folder = folderOf({
    'a.ndjson': text,
    'b.gz': gzipSync(text),
    'c.json': `[${lines}]`,
    'd.csv': `a,b\n${'"1\n",2\n'.repeat(100_000)}`,
  })
  for (const input of await listInputs([folder])) {
    const stop = new AbortController()
    const sink = new Collected()
    await readRecords(input, sink, { stop: stop.signal, progress: () => stop.abort() })
    expect([input.name, sink.lines.length]).toEqual([input.name, 0])
    expect(sink.rejects).toEqual([])
  }
})

test('a range is a matter of plain lines only', async () => {
  const folder = folderOf({ 'a.ndjson': text, 'b.json': '[]', 'c.csv': 'a\n', 'd.gz': gzipSync(text) })
  expect((await listInputs([folder])).map(isSplittable)).toEqual([true, false, false, false])
})

test('the bytes of the file on disk are counted as they are read', async () => {
  for (const [name, content] of [
    ['a.ndjson', text],
    ['b.gz', gzipSync(text)],
    ['c.json', `[${lines.join(',')}]`],
    ['d.csv', `a,b\n${'1,2\n'.repeat(50_000)}`],
  ] as const) {
    let bytes = 0
    await readFileAs(name, content, { progress: (more) => (bytes += more) })
    expect([name, bytes]).toEqual([name, Buffer.byteLength(content)])
  }
})

test('records come out of a rejects file, mended or not', async () => {
  const mended = '{"event":"mended",\n "n":1}'
  const rejects = [
    formatReject({ line: 7, offset: 70, reason: 'r', message: 'm', record: '{"event":"é\u2028"}' }),
    formatReject({ line: 8, offset: 80, reason: 'r', message: 'm', record: mended, file: 'a.ndjson' }),
    formatReject({ line: 9, offset: 90, reason: 'line_too_long', message: 'over 16 MiB', record: null }),
    formatReject({ line: 9, offset: 90, reason: 'r', message: 'm', record: 'not\njson' }),
    '{"event":"added by hand"}\n',
    'not json\n',
  ]
  const whole = rejects.join('')
  for (const [name, content] of [
    ['r.ndjson', whole],
    ['r.ndjson.gz', gzipSync(whole)],
  ] as const) {
    const { lines, rejects: again, places } = await readFileAs(name, content)
    expect(lines).toEqual([
      '{"event":"é\u2028"}',
      '{"event":"mended",  "n":1}',
      'not\njson',
      '{"event":"added by hand"}',
      'not json',
    ])
    expect(places.map(({ number }) => number)).toEqual([1, 2, 4, 5, 6])
    expect(again).toEqual([
      {
        line: 3,
        offset: Buffer.byteLength(rejects.slice(0, 2).join('')),
        reason: 'line_too_long',
        message: 'over 16 MiB',
        record: null,
      },
    ])
  }
})

test('records of any format over the cap are told, and the rest is read', async () => {
  const long = `{"a":"${'x'.repeat(300)}"}`
  for (const [name, content] of [
    ['a.ndjson', `{"a":1}\n${long}\n{"a":2}\n`],
    ['b.json', `[{"a":1},${long},{"a":2}]`],
  ]) {
    const { lines, long: told } = await readFileAs(name!, content!, { maxLineBytes: 100 })
    expect(lines).toEqual(['{"a":1}', '{"a":2}'])
    expect(told).toMatchObject([{ length: long.length, number: 2 }])
  }
})

test('broken JSON is said with file and byte', async () => {
  await expect(readFileAs('a.json', '[{"a":1},{"b"')).rejects.toMatchObject({
    code: 'input',
    message: expect.stringMatching(/a\.json ends in the middle of its JSON: it is cut short \(byte 13\)$/),
  })
})

test('a file that shrinks meanwhile is an error; what is appended meanwhile waits', async () => {
  const folder = folderOf({ 'a.ndjson': text })
  const path = join(folder, 'a.ndjson')
  const [input] = await listInputs([path])
  await appendFile(path, '{"event":"new"}\n')
  const sink = new Collected()
  await readRecords(input!, sink)
  expect(sink.lines).toEqual(lines)
  await truncate(path, 1000)
  await expect(readRecords(input!, new Collected())).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('became shorter'),
  })
})

test("a sink's error stops the reading of every format", async () => {
  const folder = folderOf({
    'a.ndjson': text,
    'b.gz': gzipSync(text),
    'c.json': `[${lines}]`,
    'd.csv': 'a,b\n1,2\n',
  })
  for (const input of await listInputs([folder])) {
    const sink = new Collected()
    sink.line = () => {
      throw new Error('enough')
    }
    await expect(readRecords(input, sink)).rejects.toThrow('enough')
  }
})

async function recordsOf(name: string, text: string, names?: string[]): Promise<string[]> {
  const path = join(testFolder(), name)
  writeFileSync(path, text)
  const [input] = await listInputs([path])
  const found: string[] = []
  await readRecords(
    input!,
    {
      line: (bytes, start, end) => found.push(bytes.toString('utf8', start, end)),
      tooLong() {},
      reject: ({ reason, message }) => found.push(`${reason}: ${message}`),
      unusable() {},
    },
    names ? { columns: { ...NO_COLUMNS, names } } : {},
  )
  return found
}

const wanted = ['{"event":"e","n":1.0}', '{"event":"f","n":2}']

test.each<[what: string, name: string, text: string, names?: string[]]>([
  ['JSONCompactEachRowWithNames', 'x.ndjson', '["event", "n"]\n["e", 1.0]\n["f", 2]\n'],
  [
    'JSONCompactEachRowWithNamesAndTypes',
    'x.json',
    '["event", "n"]\n["String", "Nullable(Float64)"]\n["e", 1.0]\n["f", 2]\n',
  ],
  ['JSONCompactEachRow, named by hand', 'x.ndjson', '["e", 1.0]\n["f", 2]\n', ['event', 'n']],
])('rows of %s are records of their names, to the byte', async (_, name, text, names) => {
  expect(await recordsOf(name, text, names)).toEqual(wanted)
})

test('rows without names are refused, and one of another width is a reject', async () => {
  await expect(recordsOf('x.ndjson', '["e", 1]\n["f", 2]\n')).rejects.toThrow(/rows without names/)
  const [, reject] = await recordsOf('x.ndjson', '["event", "n"]\n["e", 1]\n["f"]\n')
  expect(reject).toBe('csv_field_count: the row has 1 values, and 2 names')
})

test.each([
  ['blanks after commas', 'event, user, at\ne, u1, "a, b"\nf, u2,  x \n'],
  ['blanks before commas', 'event ,user ,at\ne ,u1 ,"a, b"\nf ,u2 , x\n'],
  ['CR CR LF', 'event,user,at\r\r\ne,u1,"a, b"\r\r\nf,u2,x\r\r\n'],
  ['a byte order mark in the middle', 'event,user,at\ne,u1,"a, b"\n\uFEFFf,u2,x\n'],
])('%s leave nothing in names and values', async (_, text) => {
  expect(await recordsOf('x.csv', text)).toEqual([
    '{"event":"e","user":"u1","at":"a, b"}',
    '{"event":"f","user":"u2","at":"x"}',
  ])
})

test('blanks of cells stay where no rule of the table takes them away', async () => {
  expect(await recordsOf('x.csv', 'event,note\ne, a \nf,b\ng,c\n')).toContain('{"event":"e","note":" a "}')
})
