import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { kills } from '../helpers/kills.ts'
import { makeZip } from '../helpers/zip.ts'
import { expectHeld, type Hostile, lines, sound } from './kit/hostile.ts'

const MIB = 1024 * 1024
const records = lines(sound(1), sound(2), sound(3))
const packed = gzipSync(records)
const file = (name: string, data: Buffer = records) => ({ name, data })
const blanks = (mib: number) => Buffer.concat([records, Buffer.alloc(mib * MIB, 0x20)])

/** A file with these bytes, tried by `import --file` and `check --file` too if it is NDJSON. */
const as = (name: string, content: () => string | Buffer): Pick<Hostile, 'make' | 'file'> => ({
  make: (folder) => writeFileSync(join(folder, name), content()),
  ...(/ndjson(\.gz)?$/.test(name) && { file: name }),
})

/** An archive with some of its bytes written over: `at` from the end, or from the start where it isn't negative. */
function altered(zip: Buffer, at: number, ...bytes: readonly number[]): Buffer {
  zip.set(bytes, at < 0 ? zip.length + at : at)
  return zip
}

const OK = { rejects: {}, records: 3 }
const refused = (words: RegExp) => ({ refused: words })
const one = () => makeZip([file('a.ndjson')])
// Where these stand in the record at the end of an archive, and in the entry of its only file, a.ndjson.
const [ENTRIES, DIRECTORY, ENTRY] = [-14, -6, -22 - 46 - 'a.ndjson'.length]

const GZIP: ReadonlyArray<readonly [name: string, bytes: () => Buffer, outcome: Hostile['outcome']]> = [
  ...[1, 8, 17].map(
    (left) => [`cut by ${left} bytes`, () => packed.subarray(0, -left), refused(/cut short/)] as const,
  ),
  ['cut in its head', () => packed.subarray(0, 5), refused(/cut short/)],
  ['two members', () => Buffer.concat([packed, gzipSync(lines(sound(4)))]), { rejects: {}, records: 4 }],
  ['bytes after its end', () => Buffer.concat([packed, Buffer.from('more')]), refused(/damaged/)],
  ['zeros after its end', () => Buffer.concat([packed, Buffer.alloc(512)]), OK],
  ['a wrong checksum', () => altered(Buffer.from(packed), -8, 1, 2, 3, 4), refused(/damaged/)],
  ['a wrong length', () => altered(Buffer.from(packed), -4, 1, 2, 3, 4), refused(/damaged/)],
  ['gzip in gzip', () => gzipSync(packed), refused(/gzip twice/)],
  [
    'a bomb of one line',
    () => gzipSync(Buffer.concat([records, Buffer.alloc(200 * MIB), Buffer.from('\n')]), { level: 1 }),
    { rejects: { line_too_long: 1 }, records: 3 },
  ],
  [
    'a bomb of many records',
    () => gzipSync(Buffer.concat([records, Buffer.alloc(MIB / 8 - 1, '{}\n')]), { level: 1 }),
    { rejects: { event_missing: Math.floor(MIB / 8 / 3), bad_json: 1 }, records: 3 },
  ],
]

const ZIP: ReadonlyArray<readonly [name: string, bytes: () => Buffer, outcome: Hostile['outcome']]> = [
  [
    'names that lead out of the folder',
    () =>
      makeZip(
        ['../out.ndjson', '/tmp/out.ndjson', 'C:\\out.ndjson', '..\\..\\out.ndjson', 'a/../../b.ndjson'].map(
          (name, n) => file(name, lines(sound(n))),
        ),
      ),
    { rejects: {}, records: 5 },
  ],
  [
    'names with NUL and ESC',
    () => makeZip([file('a\0.txt'), file('\x1b[2J.ndjson')]),
    { rejects: {}, records: 6 },
  ],
  [
    'a name with ESC that is no text',
    () => makeZip([file('\x1b[2J.bin', Buffer.alloc(9))]),
    refused(/is not text/),
  ],
  ['two files of one name', () => makeZip([file('a.ndjson'), file('a.ndjson')]), { rejects: {}, records: 6 }],
  ['no files', () => makeZip([file('a/', Buffer.alloc(0))]), refused(/no files/)],
  ['an encrypted file', () => altered(one(), ENTRY + 8, 1), refused(/encrypted/)],
  ['an unknown method', () => altered(one(), ENTRY + 10, 99), refused(/packed by method 99/)],
  ['an archive in it', () => makeZip([file('a.zip', one())]), refused(/in another archive/)],
  ['gzip in it', () => makeZip([file('a.ndjson.gz', packed)]), OK],
  ['a wrong checksum', () => makeZip([{ ...file('a'), badCrc: true }]), refused(/checksum/)],
  ['a size that is too small', () => altered(one(), ENTRY + 24, 9, 0, 0, 0), refused(/too many bytes/)],
  ['a size that is too large', () => altered(one(), ENTRY + 24, 9, 9, 9, 9), refused(/not enough bytes/)],
  ['a packed size beyond its end', () => altered(one(), ENTRY + 20, 9, 9, 9, 0), refused(/no whole zip/)],
  ['a file beyond its end', () => altered(one(), ENTRY + 42, 9, 9, 9, 9), refused(/beyond its end/)],
  ['a directory beyond its end', () => altered(one(), DIRECTORY, 9, 9, 9, 9), refused(/beyond its end/)],
  [
    'a count that is too small',
    () => altered(one(), ENTRIES, 0, 0, 0, 0),
    refused(/more entries than it says/),
  ],
  ['a count that is too large', () => altered(one(), ENTRIES, 2, 0, 2, 0), refused(/no whole zip/)],
  ['bytes after its end', () => Buffer.concat([one(), Buffer.from('more')]), refused(/no whole zip/)],
  ['cut short', () => one().subarray(0, -10), refused(/no whole zip/)],
  ['a bomb', () => makeZip([file('a.ndjson', blanks(100))]), refused(/bomb/)],
  [
    'a bomb in gzip',
    () => makeZip([{ ...file('a.gz', gzipSync(blanks(100))), stored: true }]),
    refused(/bomb/),
  ],
  [
    '65,536 files, of which a count of 16 bits knows none',
    () =>
      makeZip(Array.from({ length: 65_536 }, (_, n) => ({ ...file(`${n}`, lines(sound(n))), stored: true }))),
    refused(/more entries than it says/),
  ],
]

const MAP = {
  preset: 'events',
  fields: { event: 'event', distinct_id: 'distinct_id', timestamp: 'timestamp' },
}
const HEADER = 'event,distinct_id,timestamp'
const ROW = 'Seen,u,2024-03-01T00:00:00Z'

const TABLES: ReadonlyArray<
  readonly [name: string, text: () => string, outcome: Hostile['outcome'], peak?: number]
> = [
  ['a quote that stays open', () => `${HEADER},x\n${ROW},"${'x'.repeat(40 * MIB)}`, refused(/has no end/)],
  ['a name twice', () => `${HEADER},x,x\n${ROW},1,2\n`, refused(/two columns named "x"/)],
  ['a column without a name', () => `${HEADER},\n${ROW},1\n`, refused(/has no name/)],
  [
    'rows of other lengths',
    () => `${HEADER}\n${ROW}\nSeen\n${ROW},1\nSeen,u\n`,
    { rejects: { csv_field_count: 3 }, records: 1 },
  ],
  ['NULs', () => `${HEADER},x\n${ROW},a\0b\n`, refused(/is not text/)],
  [
    'a million quotes',
    () => `${HEADER},x\n${ROW},${'a"'.repeat(5e5)}\n${ROW},1\n`,
    { rejects: { event_too_large: 1 }, records: 1 },
  ],
  [
    'names of the language',
    () => `${HEADER},__proto__,constructor,toString\n${ROW},1,2,3\n`,
    { rejects: {}, records: 1 },
  ],
  [
    'a header of 20 MB',
    () => `${HEADER},${'x'.repeat(2e7)}\n${ROW},1\n`,
    refused(/its first row,.*is over 16.0 MiB/),
  ],
  [
    '100,000 columns',
    () => `${HEADER},${Array.from({ length: 1e5 }, (_, n) => `c${n}`).join()}\n${ROW}${',1'.repeat(1e5)}\n`,
    { rejects: { event_too_large: 1 }, records: 0 },
    500,
  ],
]

const JSON_FILES: ReadonlyArray<readonly [name: string, text: () => string, outcome: Hostile['outcome']]> = [
  ['an array that is cut', () => `[${sound(1)},${sound(2)}`, refused(/cut short/)],
  ['an array that is cut in a string', () => `[${sound(1)},{"event":"S`, refused(/cut short/)],
  ['a million open brackets', () => '['.repeat(1e6), refused(/cut short/)],
  ['a bracket too many', () => `[${sound(1)}]]`, refused(/bracket too many/)],
  [
    'elements that are no records',
    () => `[${sound(1)},1,"a",null,[],${sound(2)}]`,
    { rejects: { not_an_object: 4 }, records: 2 },
  ],
  ['two arrays', () => `[${sound(1)}][${sound(2)}]`, { rejects: {}, records: 2 }],
]

const PARQUET: ReadonlyArray<readonly [name: string, bytes: Buffer]> = [
  ['nothing but its mark', Buffer.from('PAR1')],
  ['its marks and nothing between', Buffer.from('PAR1PAR1')],
  ['a footer longer than the file', Buffer.from('PAR1\xff\xff\xff\x7fPAR1', 'latin1')],
  [
    'a footer of noise',
    Buffer.concat([
      Buffer.from('PAR1'),
      Buffer.alloc(500, 0xa5),
      Buffer.from([0xf4, 1, 0, 0]),
      Buffer.from('PAR1'),
    ]),
  ],
]

const FOLDERS: ReadonlyArray<Hostile> = [
  {
    name: 'a pipe among the files',
    make: (folder) => execFileSync('mkfifo', [join(folder, 'pipe.ndjson')]),
    outcome: refused(/pipe\.ndjson/),
  },
  {
    name: 'a link to a device among the files',
    make: (folder) => symlinkSync('/dev/zero', join(folder, 'zero.ndjson')),
    outcome: refused(/zero\.ndjson/),
  },
  {
    name: 'links in a circle, and one to the folder itself',
    make: (folder) => {
      mkdirSync(join(folder, 'deep'))
      symlinkSync('..', join(folder, 'deep/up'))
      symlinkSync('.', join(folder, 'self'))
    },
    outcome: { rejects: {} },
  },
  {
    name: 'a link that leads nowhere',
    make: (folder) => symlinkSync('gone.ndjson', join(folder, 'b.ndjson')),
    outcome: refused(/b\.ndjson|no such file/),
  },
  {
    name: 'a link that leads to itself',
    make: (folder) => symlinkSync('b.ndjson', join(folder, 'b.ndjson')),
    outcome: refused(/circle/),
  },
  {
    name: 'names that a terminal would obey',
    make: (folder) => writeFileSync(join(folder, '\x1b[2J\x07\u202e.ndjson'), lines(sound(1), 'bad')),
    outcome: { rejects: { bad_json: 1 }, records: 1 },
  },
  {
    name: '3,000 files',
    make: (folder) => {
      for (let n = 0; n < 3_000; n++) writeFileSync(join(folder, `${n}.ndjson`), lines(sound(n)))
    },
    outcome: { rejects: {}, records: 3_000 },
    peak: 500,
  },
]

const ALL: readonly Hostile[] = [
  ...ZIP.map(([name, bytes, outcome]) => ({ name: `zip: ${name}`, ...as('h.zip', bytes), outcome })),
  ...GZIP.map(([name, bytes, outcome]) => ({ name: `gzip: ${name}`, ...as('h.ndjson.gz', bytes), outcome })),
  ...TABLES.map(([name, content, outcome, peak = 400]) => ({
    name: `CSV: ${name}`,
    ...as('h.csv', content),
    outcome,
    peak,
    preset: 'events',
    map: MAP,
    alone: true,
  })),
  ...JSON_FILES.map(([name, content, outcome]) => ({
    name: `JSON: ${name}`,
    ...as('h.json', content),
    outcome,
  })),
  ...PARQUET.map(([name, bytes]) => ({
    name: `Parquet: ${name}`,
    ...as('h.parquet', () => bytes),
    outcome: refused(/cannot be read as Parquet/),
  })),
  ...FOLDERS,
]

/** What could take much memory, or hang: in a process of its own. */
const HEAVY = /bomb|65,536|3,000|100,000|million|20 MB|stays open|device/

const FEW = [
  'zip: names that lead out of the folder',
  'gzip: a bomb of one line',
  'a link that leads to itself',
]

test.each(kills({ few: 1, many: 2 }) === 1 ? ALL.filter(({ name }) => FEW.includes(name)) : ALL)(
  '$name',
  async (hostile) => {
    await expectHeld({ ...hostile, small: !HEAVY.test(hostile.name) })
  },
)

test('the table is whole', () => expect(new Set(ALL.map(({ name }) => name)).size).toBe(ALL.length))
