import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { characterOf, decoded, type Foreign } from '../../src/inputs/decode.ts'
import { readAs } from '../../src/inputs/input-file.ts'
import { listInputs } from '../../src/inputs/list.ts'
import { readRecords } from '../../src/inputs/read.ts'
import type { Encoding } from '../../src/mapping/columns.ts'
import { formatReject } from '../../src/record/reject.ts'
import { folderOf } from '../helpers/folder.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { Collected } from './collected.ts'

const TEXT = 'name;city;€\r\n"Jürgen ""Spaß“";Köln;1\r\nÀ é » ™;Zürich – “Bär”;2\r\n'
const CP1252 = new Map(Array.from({ length: 128 }, (_, i) => [characterOf(0x80 + i) ?? '', 0x80 + i]))

const inCp1252 = (text: string) =>
  Buffer.from([...text].map((letter) => CP1252.get(letter) ?? letter.charCodeAt(0)))

function wide(text: string, order: 'le' | 'be', mark: boolean): Buffer {
  const bytes = Buffer.from(mark ? `\uFEFF${text}` : text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

async function decodeIn(pieces: Buffer[], encoding: Foreign): Promise<Buffer> {
  const out: Buffer[] = []
  async function* given() {
    yield* pieces
  }
  for await (const chunk of decoded(given(), encoding, 'x.csv')) out.push(chunk)
  return Buffer.concat(out)
}

async function readIn(name: string, content: Buffer, encoding?: Encoding): Promise<Collected> {
  const folder = folderOf({ [name]: content })
  const sink = new Collected()
  for (const input of readAs(await listInputs([`${folder}/${name}`]), { encoding }))
    await readRecords(input, sink)
  return sink
}

test('every byte has the character that its standard gives it, and no other', () => {
  // https://www.unicode.org/Public/MAPPINGS/VENDORS/MICSFT/WINDOWS/CP1252.TXT: a TextDecoder of some Node versions has others.
  const windows = [
    [
      0x20ac, 0, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0,
      0x017d, 0,
    ],
    [
      0, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a, 0x0153, 0,
      0x017e, 0x0178,
    ],
  ].flat()
  for (let byte = 0x80; byte <= 0xff; byte++) {
    const code = windows[byte - 0x80] ?? byte
    expect(characterOf(byte)).toBe(code === 0 ? undefined : String.fromCodePoint(code))
  }
})

test('however a file comes in pieces, its text is the same', async () => {
  const random = seeded(seedOf('decode'))
  const emoji = `${TEXT}👍🏽;x;y\r\n`
  const files: Array<[Foreign, Buffer, string]> = [
    ['windows-1252', inCp1252(TEXT.repeat(3)), TEXT.repeat(3)],
    ['utf-16le', wide(emoji, 'le', true), emoji],
    ['utf-16be', wide(emoji, 'be', true), emoji],
    ['utf-16le', wide(emoji, 'le', false), emoji],
  ]
  for (const [encoding, bytes, text] of files) {
    for (let round = 0; round < 60; round++) {
      const pieces: Buffer[] = []
      for (let at = 0; at < bytes.length; ) {
        const length = 1 + Math.floor(random() * (round < 10 ? 1 : 24))
        pieces.push(Buffer.from(bytes.subarray(at, at + length)))
        at += length
      }
      expect((await decodeIn(pieces, encoding)).toString()).toBe(text)
    }
  }
})

const RECORDS = [
  { name: 'Jürgen "Spaß“', city: 'Köln', '€': '1' },
  { name: 'À é » ™', city: 'Zürich – “Bär”', '€': '2' },
]

test('a byte order mark decides, whatever the mapping file says', async () => {
  for (const order of ['le', 'be'] as const) {
    for (const encoding of [undefined, 'utf-8', 'windows-1252', 'utf-16le', 'utf-16be'] as const) {
      const { lines } = await readIn('x.csv', wide(TEXT, order, true), encoding)
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(RECORDS)
    }
  }
  const { lines, rejects } = await readIn('x.csv', Buffer.from(`\uFEFF${TEXT}`), 'windows-1252')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(RECORDS)
  expect(rejects).toEqual([])
})

test('UTF-16 is read in every format, packed or not; without a mark it must be named', async () => {
  const rows = RECORDS.map((record) => JSON.stringify(record))
  const contents = {
    'x.ndjson': `${rows.join('\n')}\n`,
    'x.json': `[${rows.join(',\n')}]`,
    'x.csv': TEXT,
    'x.tsv': TEXT.replaceAll(';', '\t'),
  }
  for (const [name, text] of Object.entries(contents)) {
    for (const order of ['le', 'be'] as const) {
      const bytes = wide(text, order, false)
      const named = await readIn(`${name}.gz`, gzipSync(bytes), `utf-16${order}`)
      expect(named.lines.map((line) => JSON.parse(line) as unknown)).toEqual(RECORDS)
      await expect(readIn(name, bytes)).rejects.toMatchObject({
        code: 'input',
        hint: expect.stringContaining(`"encoding: utf-16${order}"`),
      })
      const { lines } = await readIn(name, wide(text, order, true))
      expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(RECORDS)
    }
  }
})

test('Windows-1252 that nobody named is a reject that keeps its bytes, and is read once it is named', async () => {
  const rows = Buffer.concat(RECORDS.map((record) => inCp1252(`${JSON.stringify(record)}\n`)))
  const { lines } = await readIn('x.ndjson', rows, 'windows-1252')
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(RECORDS)
  // What transform makes of such a line: the text can only show it, the bytes bring it back.
  const line = rows.subarray(0, rows.indexOf(0x0a))
  const reject = {
    line: 1,
    offset: 0,
    reason: 'bad_utf8',
    message: '',
    record: line.toString(),
    bytes: line.toString('base64'),
  }
  const again = async (one: typeof reject, encoding?: Encoding) => {
    const folder = folderOf({ 'rejects.ndjson': formatReject(one) })
    const found: Buffer[] = []
    const sink = new Collected()
    sink.line = (bytes, start, end) => void found.push(Buffer.from(bytes.subarray(start, end)))
    for (const input of readAs(await listInputs([`${folder}/rejects.ndjson`]), { encoding })) {
      await readRecords(input, sink)
    }
    return found[0]!
  }
  expect(await again(reject)).toEqual(line)
  expect(JSON.parse((await again(reject, 'windows-1252')).toString())).toEqual(RECORDS[0])
  const mended = await again({ ...reject, record: '{"name":"Jürgen"}' }, 'windows-1252')
  expect(mended.toString()).toBe('{"name":"Jürgen"}')
})

test('rows in UTF-8 in a file that is said to be Windows-1252 are rejects, whose record is the likely text', async () => {
  const utf8 = (text: string) => Buffer.from(text)
  const rows = [
    [inCp1252('a;Müller;Spaß“'), true],
    [utf8('b;Müller;1'), false],
    [inCp1252('c;É™;CAFÉ\u00a0:'), true],
    [utf8('d;Москва;1'), false],
    [Buffer.concat([inCp1252('e;Köln;'), utf8('Köln')]), false],
    [utf8('f;👍;1'), false],
    [inCp1252('g;« été\u00a0»;ß…'), true],
    [utf8('h;10 €;1'), false],
    [utf8('i;plain;1'), true],
  ] as const
  const file = Buffer.concat([utf8('id;x;y\n'), ...rows.flatMap(([row]) => [row, utf8('\n')])])
  const { lines, rejects } = await readIn('x.csv', file, 'windows-1252')
  expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['a', 'c', 'g', 'i'])
  expect(rejects.map(({ reason }) => reason)).toEqual(Array(5).fill('bad_encoding'))
  expect(rejects.map(({ record }) => JSON.parse(record!) as unknown)).toEqual([
    { id: 'b', x: 'Müller', y: '1' },
    { id: 'd', x: 'Москва', y: '1' },
    { id: 'e', x: 'Köln', y: 'Köln' },
    { id: 'f', x: '👍', y: '1' },
    { id: 'h', x: '10 €', y: '1' },
  ])
  expect(rejects[0]).toMatchObject({
    line: 3,
    message: '"ü" is in UTF-8 here, and the file is read as windows-1252',
  })
})

test('bytes that an encoding has no character for are rejects: the file is in another one', async () => {
  const dos = Buffer.from('id;x\n1;M\x81ller\n2;plain\n', 'latin1')
  const { lines, rejects } = await readIn('x.csv', dos, 'windows-1252')
  expect(lines).toEqual(['{"id":"2","x":"plain"}'])
  expect(rejects[0]!.message).toBe('the byte 0x81 is no character of windows-1252')
  const half = wide('id;x\n1;\ud83d!\n2;ok\n', 'le', true)
  const wideRead = await readIn('x.csv', half)
  expect(wideRead.lines).toEqual(['{"id":"2","x":"ok"}'])
  expect(wideRead.rejects[0]!.message).toBe('half of a surrogate pair: the text is not utf-16le')
  await expect(readIn('x.csv', half.subarray(0, half.length - 1))).rejects.toMatchObject({ code: 'input' })
})

test('names of columns that are not UTF-8 stop the reading: they would be other names', async () => {
  const header = inCp1252('Straße;x\n1;2\n')
  await expect(readIn('x.csv', header)).rejects.toMatchObject({
    code: 'input',
    hint: expect.stringContaining('encoding: windows-1252'),
  })
  expect((await readIn('x.csv', header, 'windows-1252')).lines).toEqual(['{"Straße":"1","x":"2"}'])
  await expect(readIn('x.csv', Buffer.from('Straße;x\n1;2\n'), 'windows-1252')).rejects.toMatchObject({
    code: 'input',
  })
})

test.each<[string, Buffer, Encoding | undefined, string]>([
  [
    'UTF-16 of which nobody spoke',
    Buffer.from('a,b\n1,2\n', 'utf16le'),
    undefined,
    'is text in UTF-16 without a byte order mark',
  ],
  [
    'UTF-16 of which something else is said',
    Buffer.from('a,b\n1,2\n', 'utf16le'),
    'windows-1252',
    'and the mapping file says encoding: windows-1252',
  ],
  [
    'UTF-16 the other way round',
    Buffer.from('a,b\n1,2\n', 'utf16le'),
    'utf-16be',
    'and the mapping file says encoding: utf-16be',
  ],
  [
    'UTF-16 that is said to be UTF-8',
    Buffer.from('a,b\n1,2\n', 'utf16le'),
    'utf-8',
    'and the mapping file says encoding: utf-8',
  ],
  [
    'Windows-1252 that is said to be UTF-16',
    Buffer.from('a,b\nü,23\n', 'latin1'),
    'utf-16le',
    'it is cut short, or in another encoding',
  ],
])('an encoding that is not the file’s is told by both: %s', async (_, content, encoding, message) => {
  await expect(readIn('x.csv', content, encoding)).rejects.toMatchObject({
    code: 'input',
    message: expect.stringContaining(message),
  })
})
