import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { avroBlock, avroFile, avroHead, CODECS, SYNC } from '../../helpers/avro.ts'
import { seeded, seedOf } from '../../helpers/random.ts'
import { makeZip } from '../../helpers/zip.ts'
import { readFileAs } from '../collected.ts'

const PAGE = {
  type: 'record',
  name: 'topLevelRecord',
  fields: [
    { name: 'event_id', type: ['null', 'long'] },
    { name: 'title', type: ['null', 'string'] },
  ],
} as const
const pages = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    event_id: BigInt(i) + 2n ** 60n,
    title: `Seite ${i} – "größer"\n`,
  }))
const expected = (count: number) =>
  pages(count).map(({ event_id, title }) => `{"event_id":${event_id},"title":${JSON.stringify(title)}}`)

/** One record with one field, as JSON text. */
async function jsonOf(type: unknown, value: unknown): Promise<string> {
  const schema = { type: 'record', name: 'R', fields: [{ name: 'v', type }] }
  const file = avroFile(schema, [{ v: value }])
  const { lines } = await readFileAs('t.avro', file)
  return lines[0]!.slice('{"v":'.length, -1)
}

test.each(CODECS)('records come out of blocks packed with %s, each with its number', async (codec) => {
  const { lines, places } = await readFileAs('pages.avro', avroFile(PAGE, pages(250), { codec, block: 100 }))
  expect(lines).toEqual(expected(250))
  expect(places.map(({ number }) => number)).toEqual(pages(250).map((_, i) => i + 1))
})

test('a name, gzip and an archive hide no Avro file', async () => {
  const file = avroFile(PAGE, pages(3))
  expect((await readFileAs('part-00000', file)).lines).toEqual(expected(3))
  expect((await readFileAs('pages.csv.gz', gzipSync(file))).lines).toEqual(expected(3))
  const zip = makeZip([{ name: 'pages/part-0.avro', data: file }])
  const { lines } = await readFileAs('pages.zip', zip, { withTable: true })
  expect(lines[0]).toBe(`{"$table":"pages",${expected(1)[0]!.slice(1)}`)
})

// Packed by the zstd program: with the content's size in the head, and from a pipe, with a checksum.
test.each([
  'KLUv/WCgJ40CAKKDDRGQfdDwHeQ04K4OWth3+v+xBMcUMsTrR9NrN9dfE2cV/HHLrl7rszbwpJ1sP2BrfHf0FuMIAwgAMedt8QCQAzgZwCkA5wGcDOAU5JIKCg==',
  'KLUv/QRojQIAooMNEZB90PAd5DTgrg5a2Hf6/7EExxQyxOtH02s3118TZxX8ccuuXuuzNvCknWw/YGt8d/QW4wgDCAAx523xAJADOBnAKQDnAZwM4BTkkgoK1n7Dbg==',
])('compressed zstandard is read', async (base64) => {
  const schema = JSON.stringify({ type: 'record', name: 'R', fields: [{ name: 'url', type: 'string' }] })
  const file = Buffer.concat([avroHead(schema, 'zstandard'), avroBlock(200, Buffer.from(base64, 'base64'))])
  const { lines } = await readFileAs('t.avro', file)
  expect(lines).toHaveLength(200)
  expect(lines[13]).toBe('{"url":"https://shop.example.com/products/6?utm_source=news"}')
})

test.each([
  ['boolean', true, 'true'],
  ['int', -3, '-3'],
  ['long', 9007199254740991n, '9007199254740991'],
  ['long', 9007199254740993n, '9007199254740993'],
  ['long', -9223372036854775808n, '-9223372036854775808'],
  ['long', 9223372036854775807n, '9223372036854775807'],
  ['double', 1e300, '1e+300'],
  ['double', -0, '-0'],
  ['double', Number.NaN, 'null'],
  ['float', Math.fround(52.52), '52.52'],
  ['float', Math.fround(0.1), '0.1'],
  ['float', Number.POSITIVE_INFINITY, 'null'],
  ['string', 'a"\\\u0001é🙂', '"a\\"\\\\\\u0001é🙂"'],
  ['bytes', Buffer.from([0xff, 0, 1]), '"/wAB"'],
  ['bytes', Buffer.from([1]), '"AQ=="'],
  ['bytes', Buffer.from('{"user":"müller"}'), JSON.stringify('{"user":"müller"}')],
  [{ type: 'fixed', name: 'F', size: 2 }, Buffer.from([0xff, 1]), '"ff01"'],
  [{ type: 'enum', name: 'E', symbols: ['WEB', 'IOS'] }, 'IOS', '"IOS"'],
  [{ type: 'array', items: 'int' }, [1, 2, 3], '[1,2,3]'],
  [{ type: 'array', items: 'null' }, [], '[]'],
  [{ type: 'map', values: ['null', 'string'] }, { a: 'x', '"': null }, '{"a":"x","\\"":null}'],
  [['null', 'int', 'string'], 'x', '"x"'],
  [['null', 'int', 'string'], null, 'null'],
])('a value of %j is written as JSON, exact', async (type, value, json) => {
  expect(await jsonOf(type, value)).toBe(json)
})

const logical = (type: string, logicalType: string, more: object = {}) => ({ type, logicalType, ...more })
test.each([
  [logical('long', 'timestamp-millis'), 1717230123456n, '"2024-06-01T08:22:03.456Z"'],
  [logical('long', 'timestamp-millis'), -1n, '"1969-12-31T23:59:59.999Z"'],
  [logical('long', 'timestamp-micros'), 1717230123456789n, '"2024-06-01T08:22:03.456789Z"'],
  [logical('long', 'timestamp-nanos'), 1717230123456789123n, '"2024-06-01T08:22:03.456789123Z"'],
  [logical('long', 'local-timestamp-micros'), 1717230123000001n, '"2024-06-01T08:22:03.000001"'],
  // No year of four digits: the number says what there is.
  [logical('long', 'timestamp-millis'), 9007199254740993n, '9007199254740993'],
  [logical('int', 'date'), 19875, '"2024-06-01"'],
  [logical('int', 'time-millis'), 30123456, '"08:22:03.456"'],
  [logical('long', 'time-micros'), 30123456789n, '"08:22:03.456789"'],
  [logical('int', 'time-millis'), 86400000, '86400000'],
  [
    logical('string', 'uuid'),
    '6f0d2c1b-9a41-4c0e-8f7e-2b1f4c9d8a77',
    '"6f0d2c1b-9a41-4c0e-8f7e-2b1f4c9d8a77"',
  ],
  [logical('bytes', 'decimal', { precision: 9, scale: 2 }), Buffer.from([0x04, 0xd2]), '12.34'],
  [logical('bytes', 'decimal', { precision: 9, scale: 2 }), Buffer.from([0xff]), '-0.01'],
  [
    logical('bytes', 'decimal', { precision: 40, scale: 0 }),
    Buffer.alloc(12, 0x7f),
    String(BigInt('0x7f7f7f7f7f7f7f7f7f7f7f7f')),
  ],
  [logical('int', 'fortnight'), 4, '4'],
])('the logical type %j says what the number means', async (type, value, json) => {
  expect(await jsonOf(type, value)).toBe(json)
})

test('fixed bytes are a UUID or a decimal where the schema says so', async () => {
  const uuid = { type: 'fixed', name: 'U', size: 16, logicalType: 'uuid' }
  const hex = '6f0d2c1b9a414c0e8f7e2b1f4c9d8a77'
  expect(await jsonOf(uuid, Buffer.from(hex, 'hex'))).toBe('"6f0d2c1b-9a41-4c0e-8f7e-2b1f4c9d8a77"')
  const decimal = { type: 'fixed', name: 'D', size: 4, logicalType: 'decimal', precision: 9, scale: 3 }
  expect(await jsonOf(decimal, Buffer.from([0xff, 0xff, 0xfb, 0x2e]))).toBe('-1.234')
})

test('a schema may name its types, and a type itself', async () => {
  const node = {
    type: 'record',
    name: 'com.example.Node',
    fields: [
      { name: 'kind', type: { type: 'enum', name: 'Kind', symbols: ['A', 'B'] } },
      { name: 'again', type: 'Kind' },
      { name: 'next', type: ['null', 'com.example.Node'] },
    ],
  }
  const value = { kind: 'A', again: 'B', next: { kind: 'B', again: 'A', next: null } }
  expect((await readFileAs('t.avro', avroFile(node, [value]))).lines).toEqual([JSON.stringify(value)])
})

test('names that Avro forbids, and defaults that fit no type, stop nobody', async () => {
  const schema = {
    type: 'record',
    name: 'my table',
    fields: [{ name: 'total €', type: 'int', default: 'x' }],
  }
  const file = Buffer.concat([avroHead(JSON.stringify(schema), 'null'), avroBlock(1, Buffer.from([4]))])
  expect((await readFileAs('t.avro', file)).lines).toEqual(['{"total €":2}'])
})

test('a record over the longest line is told, and those after it are read', async () => {
  const schema = { type: 'record', name: 'R', fields: [{ name: 's', type: 'string' }] } as const
  const file = avroFile(schema, [{ s: 'x'.repeat(100) }, { s: 'y' }])
  const sink = await readFileAs('t.avro', file, { maxLineBytes: 50 })
  expect(sink.long).toMatchObject([{ length: 108, number: 1 }])
  expect(sink.lines).toEqual(['{"s":"y"}'])
})

type Made = readonly [schema: unknown, value: () => unknown]

/** Schemas and values by chance. */
function chance(random: () => number): { record(depth: number): Made } {
  const upTo = (count: number) => Math.floor(random() * count)
  const several = <T>(make: () => T) => Array.from({ length: upTo(4) }, make)
  let names = 0
  const leaves: readonly Made[] = [
    ['null', () => null],
    ['boolean', () => random() < 0.5],
    ['int', () => upTo(2 ** 32) - 2 ** 31],
    ['long', () => upTo(2 ** 53) - 2 ** 52],
    ['double', () => random() * 10 ** upTo(20)],
    ['string', () => several(() => ['é', '"', 'x', '🙂', '\n'][upTo(5)]).join('')],
  ]
  const any = (depth: number): Made => {
    if (depth === 0) return leaves[upTo(leaves.length)]!
    const [inner, value] = any(depth - 1)
    const kinds: readonly Made[] = [
      [{ type: 'array', items: inner }, () => several(value)],
      [{ type: 'map', values: inner }, () => Object.fromEntries(several(() => [`k${upTo(99)}`, value()]))],
      [['null', { type: 'array', items: inner }], () => (random() < 0.5 ? null : several(value))],
      [inner, value],
      record(depth - 1),
    ]
    return kinds[upTo(kinds.length)]!
  }
  const record = (depth: number): Made => {
    const fields = Array.from({ length: 1 + upTo(4) }, (_, i) => [`f${i}`, any(depth)] as const)
    return [
      { type: 'record', name: `R${names++}`, fields: fields.map(([name, [type]]) => ({ name, type })) },
      () => Object.fromEntries(fields.map(([name, [, value]]) => [name, value()])),
    ]
  }
  return { record }
}

test('what a library wrote is what is read, of any schema', async () => {
  const seed = seedOf('avro')
  const { record } = chance(seeded(seed))
  for (let round = 0; round < 40; round++) {
    const [schema, value] = record(3)
    const values = Array.from({ length: 20 }, value)
    const codec = CODECS[round % CODECS.length]!
    const { lines } = await readFileAs('t.avro', avroFile(schema, values, { codec, block: 7 }))
    expect(
      lines.map((line) => JSON.parse(line)),
      `round ${round}`,
    ).toEqual(values)
  }
})

const whole = avroFile(PAGE, pages(30), { block: 10 })
const head = whole.indexOf(SYNC) + SYNC.length
const second = whole.indexOf(SYNC, head) + SYNC.length
const changed = (at: number, byte: number) => {
  const copy = Buffer.from(whole)
  copy[at] = byte
  return copy
}

test('a file that is cut anywhere but between blocks is refused with the byte', async () => {
  for (const cut of [5, head - 3, head + 1, second - 20, second - 1, whole.length - 1]) {
    const hint = 'fetch or copy the file again; nothing was made from it'
    await expect(readFileAs('t.avro', whole.subarray(0, cut)), `cut at ${cut}`).rejects.toMatchObject({
      code: 'input',
      hint,
      message: expect.stringContaining(`it is cut short: it ends in the middle (byte ${cut})`),
    })
  }
})

test.each([
  [
    'a sync marker',
    changed(second - 1, 0),
    `the block that begins at byte ${head} does not end with the file's sync marker`,
  ],
  ['a count', changed(head, 0x16), 'reaches over the end of its block'],
  ['a smaller count', changed(head, 0x02), 'holds more than its records'],
  [
    'a union',
    changed(head + 3, 0x08),
    `record 1, in the block that begins at byte ${head}: a value is not one of its union`,
  ],
  ['a length', changed(head + 1, 0x01), 'negative size'],
])('a byte changed in %s is found', async (_, file, message) => {
  await expect(readFileAs('t.avro', file)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(message),
  })
})

test('damaged blocks are refused', async () => {
  // Zstandard has a checksum only where the writer asked for one, and the library reads past it.
  for (const codec of ['deflate', 'snappy'] as const) {
    const file = avroFile(PAGE, pages(30), { codec })
    file[file.length - 40] = file[file.length - 40]! ^ 0x5a
    await expect(readFileAs('t.avro', file), codec).rejects.toMatchObject({ code: 'input' })
  }
})

test.each([
  ['{', 'null', 'its schema is no JSON'],
  ['"Missing"', 'null', 'its schema names the type "Missing"'],
  ['{"type":"record","name":"R"}', 'null', 'its schema has no fields for R'],
  ['{"type":"constructor"}', 'null', 'its schema names the type "constructor"'],
  ['"int"', 'bzip2', 'its blocks are packed with "bzip2", which is not read'],
])('a head with the schema %s and the codec %s is refused', async (schema, codec, message) => {
  const file = Buffer.concat([avroHead(schema, codec), avroBlock(1, Buffer.from([0]))])
  await expect(readFileAs('t.avro', file)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(message),
  })
})

test.each([
  ['unions', '[', ']'],
  ['types', '{"type":', '}'],
])('a schema of 50,000 %s, each in the other, is refused', async (_, open, close) => {
  const schema = `${open.repeat(50_000)}"int"${close.repeat(50_000)}`
  await expect(readFileAs('t.avro', avroHead(schema, 'null'))).rejects.toThrow('it is nested for ever')
})

test('no block makes memory grow without bounds', async () => {
  const nulls = { type: 'record', name: 'R', fields: [{ name: 'a', type: { type: 'array', items: 'null' } }] }
  const count = Buffer.from([0xfe, 0xff, 0xff, 0xff, 0x0f, 0])
  const bomb = Buffer.concat([avroHead(JSON.stringify(nulls), 'null'), avroBlock(1, count)])
  await expect(readFileAs('t.avro', bomb)).rejects.toThrow('it counts more items than there are')
  const huge = Buffer.concat([avroHead('"int"', 'null'), Buffer.from([2, 0xfe, 0xff, 0xff, 0xff, 0x0f])])
  await expect(readFileAs('t.avro', huge)).rejects.toThrow(/a block of \d+ bytes is over the 67108864/)
  const wide = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0, 0])
  const window = Buffer.concat([avroHead('"int"', 'zstandard'), avroBlock(1, wide)])
  await expect(readFileAs('t.avro', window)).rejects.toThrow('its zstandard data is damaged')
})

test('no schema makes a record of no bytes without end', async () => {
  const inner = { type: 'record', name: 'N', fields: [{ name: 'n'.repeat(20_000), type: 'null' }] }
  const rows = { type: 'record', name: 'R', fields: [{ name: 'a', type: { type: 'array', items: inner } }] }
  const items = Buffer.from([0xa0, 0x9c, 0x01, 0])
  const many = Buffer.concat([avroHead(JSON.stringify(rows), 'null'), avroBlock(1, items)])
  await expect(readFileAs('t.avro', many)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('a record is over 134217728 bytes long as JSON'),
  })
  const lists = '{"type":"array","items":'
  const self = `{"type":"record","name":"R","fields":[{"name":"a","type":${lists.repeat(99)}"R"${'}'.repeat(99)}}]}`
  const deep = Buffer.concat([avroHead(self, 'null'), avroBlock(1, Buffer.alloc(200_000, 2))])
  await expect(readFileAs('t.avro', deep)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('it is nested for ever'),
  })
})

test('a head has no more than a few megabytes, however many members', async () => {
  const member = Buffer.concat([Buffer.from([2, 0x61, 0x80, 0x80, 0x80, 0x02]), Buffer.alloc(2 ** 21)])
  const head = Buffer.concat([Buffer.from('Obj\x01'), Buffer.from([40]), ...Array(20).fill(member)])
  await expect(readFileAs('t.avro', head)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining('its head is damaged'),
  })
})
