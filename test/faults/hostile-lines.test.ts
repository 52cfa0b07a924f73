import { closeSync, ftruncateSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf, shuffled } from '../helpers/random.ts'
import { expectHeld, type Hostile, lines, sound } from './kit/hostile.ts'

const MIB = 1024 * 1024
/** More than a text of Node can have. */
const GIANT = 384 * MIB
const FILE = 'hostile.ndjson'
const HEAD = '"distinct_id":"u","timestamp":"2024-03-01T00:00:00Z"'

/** An event with these properties, its characters as bytes. */
function having(properties: string): Buffer {
  return Buffer.from(`{"event":"Hostile",${HEAD},"properties":{${properties}}}`, 'latin1')
}

const members = (n: number) => Array.from({ length: n }, (_, i) => `"${i}":1`).join()
const ofBytes = (bytes: number) => having(`"a":"${'x'.repeat(bytes - having('"a":""').length)}"`)

/** Lines, each with the reason that it is rejected for; null if it is an event all the same. */
const LINES: ReadonlyArray<readonly [name: string, reason: string | null, line: string | Buffer]> = [
  ['no UTF-8 in a value', 'bad_utf8', having('"a":"\xff"')],
  ['no UTF-8 in a name', 'bad_utf8', having('"\xc3":1')],
  ['an overlong byte sequence', 'bad_utf8', having('"a":"\xc0\xaf"')],
  ['a surrogate as UTF-8', 'bad_utf8', having('"a":"\xed\xa0\x80"')],
  ['a lone surrogate', null, having('"a":"\\ud800"')],
  ['a lone surrogate in a name', null, having('"\\udc00":1')],
  ['a lone surrogate as an id', null, having('"a":1').toString().replace('"u"', '"\\ud800"')],
  ['1e400', null, having('"a":1e400,"b":-1e400')],
  ['an exponent of 1,000 digits', null, having(`"a":1e${'9'.repeat(1000)}`)],
  ['a number of a million digits', 'event_too_large', having(`"a":${'9'.repeat(1e6)}`)],
  ['a name of a million bytes', 'event_too_large', having(`"${'k'.repeat(1e6)}":1`)],
  [
    'an id of a million bytes',
    'distinct_id_too_long',
    having('')
      .toString()
      .replace('"u"', `"${'i'.repeat(1e6)}"`),
  ],
  ['a NUL byte', 'bad_json', having('"a":"\0"')],
  ['a NUL that is escaped', null, having('"a":"\\u0000"')],
  ['NULs alone', 'bad_json', Buffer.alloc(4096)],
  ['carriage returns at the end', null, Buffer.concat([having('"a":1'), Buffer.from('\r\r')])],
  ['carriage returns between records', 'trailing_bytes', `${having('"a":1')}\r${having('"a":2')}`],
  ['a byte order mark on a later line', 'bad_json', `\ufeff${having('"a":1')}`],
  ['a byte order mark inside', 'bad_json', having('"a":1,\xef\xbb\xbf"b":2')],
  ['a name twice', null, having('"a":1,"a":2')],
  [
    'names of the language',
    null,
    having('"__proto__":{"a":1},"constructor":1,"hasOwnProperty":2,"toString":3'),
  ],
  [
    'an event of that name',
    null,
    `{"event":"__proto__","distinct_id":"constructor","timestamp":"2024-03-01T00:00:00Z","__proto__":1}`,
  ],
  ['100,000 levels', 'too_deep', having(`"a":${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`)],
  ['100,000 levels that stay open', 'too_deep', '{"a":'.repeat(1e5)],
  ['100,000 lists', 'too_deep', '['.repeat(1e5)],
  ['101 levels', 'too_deep', having(`"a":${'['.repeat(101)}${']'.repeat(101)}`)],
  ['100,000 members', 'event_too_large', having(members(1e5))],
  ['a million escapes', 'event_too_large', having(`"a":"${'\\u0061'.repeat(1e6)}"`)],
  ['a million quotes', 'not_an_object', '"'.repeat(1e6)],
  ['a million backslashes', 'bad_json', `{"a":"${'\\'.repeat(1e6)}`],
  ['a number', 'not_an_object', '1'],
  ['null', 'not_an_object', 'null'],
  ['a list', 'not_an_object', '[]'],
  ['an empty object', 'event_missing', '{}'],
  ['an infinity', 'bad_json', having('"a":-Infinity')],
  ['a comment', 'bad_json', having('/**/"a":1')],
  ['single quotes', 'bad_json', "{'a':1}"],
  ['an escape that is none', 'bad_json', having('"a":"\\x41"')],
  ['half an escape', 'bad_json', having('"a":"\\u12"')],
  ['a line separator', null, having('"a":"\xe2\x80\xa8"')],
  ['a blank that JSON lacks', 'bad_json', having('\xc2\xa0"a":1')],
  ['a time of the year 0', 'timestamp_unparsable', having('').toString().replace('2024-03-01', '0000-00-00')],
  [
    'a time that is an object',
    'timestamp_missing',
    having('')
      .toString()
      .replace(/"2024[^"]*"/, '{"a":1}'),
  ],
  ['properties in a list', 'properties_not_an_object', having('').toString().replace('{}', '[]')],
  ['an id that is an object', 'distinct_id_not_text', having('').toString().replace('"u"', '{"a":1}')],
  [
    'a reject of a reason of the language',
    'event_missing',
    '{"line":1,"offset":0,"reason":"__proto__","message":"m","record":"{}"}',
  ],
  ['a line of 16 MiB and a byte', 'line_too_long', ofBytes(16 * MIB + 1)],
]

test(`${LINES.length} hostile lines in one file: each is counted with its reason, no neighbour is lost`, async () => {
  const rejects: Record<string, number> = {}
  for (const [, reason] of LINES) if (reason !== null) rejects[reason] = (rejects[reason] ?? 0) + 1
  const events = LINES.filter(([, reason]) => reason === null).length
  const all = LINES.flatMap(([, , line], n) => [line, sound(n)])
  await expectHeld({
    name: 'all',
    make: (folder) => writeFileSync(join(folder, FILE), lines(sound(1000), ...all)),
    outcome: { rejects, records: 1 + LINES.length + events },
    file: FILE,
    peak: 400,
  })
})

/** A file of 384 MiB that takes no room on the disk: NULs between the two texts. */
function giant(folder: string, before: string | Buffer, after: string | Buffer): void {
  const file = openSync(join(folder, FILE), 'w')
  writeSync(file, before as string)
  ftruncateSync(file, GIANT)
  writeSync(file, after as string, GIANT)
  closeSync(file)
}

function flood(folder: string, times: number, line: Buffer): void {
  const file = openSync(join(folder, FILE), 'w')
  writeSync(file, lines(sound(1)))
  for (let i = 0; i < times; i++) writeSync(file, lines(line))
  writeSync(file, lines(sound(2)))
  closeSync(file)
}

const write = (content: string | Buffer) => (folder: string) => writeFileSync(join(folder, FILE), content)
const text = lines(sound(1), sound(2)).toString()

const FILES: ReadonlyArray<Omit<Hostile, 'file'>> = [
  {
    name: 'a line of 384 MiB between two events',
    make: (folder) => giant(folder, lines(sound(1)), `\n${sound(2)}\n`),
    outcome: { rejects: { line_too_long: 1 }, records: 2 },
  },
  {
    name: 'a last line of 384 MiB without an end',
    make: (folder) => giant(folder, lines(sound(1), sound(2)), ''),
    outcome: { rejects: { line_too_long: 1 }, records: 2 },
  },
  {
    name: 'a line of exactly 16 MiB',
    make: write(lines(sound(1), ofBytes(16 * MIB), sound(2))),
    outcome: { rejects: { event_too_large: 1 }, records: 2 },
    peak: 700,
  },
  {
    name: 'a million members',
    make: write(lines(sound(1), having(members(1e6)), sound(2))),
    outcome: { rejects: { too_many_members: 1 }, records: 2 },
  },
  {
    name: 'forty rejects of 15 MiB',
    make: (folder) => flood(folder, 40, Buffer.from(`{"event":1,"a":"${'x'.repeat(15 * MIB)}"}`)),
    outcome: { rejects: { event_not_text: 40 }, records: 2 },
    peak: 700,
  },
  ...[Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from(`\ufeff${text}`, 'utf16le').swap16()].map(
    (bytes, end) => ({
      name: `UTF-16, of end ${end}`,
      make: write(bytes),
      outcome: { rejects: {}, records: 2 },
      imported: { refused: /UTF-16/ },
    }),
  ),
  {
    name: 'UTF-16 that does not say so',
    make: write(Buffer.from(text, 'utf16le')),
    outcome: { refused: /encoding: utf-16le/ },
  },
  { name: 'NULs', make: write(Buffer.alloc(100_000)), outcome: { refused: /is not text/ } },
  {
    name: 'a byte order mark and CRLF',
    make: write(`\ufeff${text.replaceAll('\n', '\r\n')}`),
    outcome: { rejects: {}, records: 2 },
  },
  {
    name: 'a last line that is cut in a character',
    make: write(Buffer.concat([Buffer.from(text), Buffer.from('{"event":"\xc3', 'latin1')])),
    outcome: { rejects: { bad_utf8: 1 }, records: 2 },
  },
]

test.each(FILES.slice(0, kills({ few: 1, many: FILES.length })))('$name', async (hostile) => {
  const small = /UTF-16|NULs|CRLF|is cut/.test(hostile.name)
  await expectHeld({ ...hostile, file: FILE, small })
})

// On CI too, only some: the file of all of them is tried each time.
const ALONE = shuffled(LINES, seeded(seedOf('hostile lines'))).slice(0, kills({ few: 0, many: 6 }))

test.each(ALONE)('%s, alone in its file', async (_, reason, line) => {
  expect(Buffer.from(line as string).includes(0x0a)).toBe(false)
  await expectHeld({
    name: '',
    make: write(lines(sound(1), line, sound(2))),
    outcome: { rejects: reason === null ? {} : { [reason]: 1 }, records: reason === null ? 3 : 2 },
    file: FILE,
    small: true,
  })
})
