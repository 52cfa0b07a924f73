import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { members } from '../../src/record/json-values.ts'
import { keys } from '../../src/record/keys.ts'
import { MAX_DEPTH, MOST_MEMBERS, Scanner } from '../../src/record/scan.ts'
import { FLAG, KIND, Tape } from '../../src/record/tape.ts'
import { objectText } from '../helpers/json-text.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('scan')
const tape = new Tape()
const scanner = new Scanner(tape)
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Scans in the middle of other bytes that would change the outcome if they were read. */
function scan(json: string | Buffer, around: readonly [string, string] = ['{"', '"}0']): string {
  const [before, after] = [Buffer.from(around[0], 'latin1'), Buffer.from(around[1], 'latin1')]
  const bytes = Buffer.concat([before, Buffer.from(json as string), after])
  const start = before.length
  const end = bytes.length - after.length
  if (scanner.scan(bytes, start, end)) return 'ok'
  const { reason, at } = scanner.failure
  // An `expect` for each of 70,000 texts would take longer than the scans.
  if (at < start || at > end) expect(at).toBe(`from ${start} to ${end}`)
  return reason
}

/** The verdict of the platform's own parsers. */
function oracle(bytes: Buffer): 'ok' | 'refused' {
  try {
    const text = utf8.decode(bytes)
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && depthOf(text) <= MAX_DEPTH ? 'ok' : 'refused'
  } catch {
    return 'refused'
  }
}

/** Levels of brackets in valid JSON. */
function depthOf(json: string): number {
  let [depth, deepest] = [0, 0]
  for (const bracket of json.replace(/"(?:[^"\\]|\\.)*"/gs, '').match(/[[\]{}]/g) ?? []) {
    depth += '[{'.includes(bracket) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

/** What comes before and after: bytes that would complete a text that is cut. */
const AROUND = fc.tuple(
  fc.constantFrom('', '{"', '[', '\\', '-'),
  fc.constantFrom(
    ...['', '"}', '}', '}}', ']}', ':1}', ',"a":1}', '\\u0061"}', '0}', 'e1}', 'rue}', 'ull}', '\xbf"}'],
  ),
)

test('accepts what JSON.parse accepts', () => {
  fc.assert(
    fc.property(objectText(), AROUND, (json, around) => {
      expect(oracle(Buffer.from(json))).toBe('ok')
      expect(scan(json, around)).toBe('ok')
    }),
    { seed, numRuns: 2000 },
  )
})

const MUTATION = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'flip', 'cut', 'swap'),
  at: fc.nat(),
  byte: fc.oneof(fc.nat(255), fc.constantFrom(...Buffer.from('{}[]",:\\u0-+.eEtfn \n\t'))),
})

function mutate(
  bytes: Buffer,
  { kind, at: anywhere, byte }: { kind: string; at: number; byte: number },
): Buffer {
  const at = anywhere % (bytes.length + 1)
  const [before, after] = [bytes.subarray(0, at), bytes.subarray(at + 1)]
  if (kind === 'delete') return Buffer.concat([before, after])
  if (kind === 'insert') return Buffer.concat([before, Buffer.from([byte]), bytes.subarray(at)])
  if (kind === 'flip')
    return Buffer.concat([before, Buffer.from([(bytes[at] ?? 0) ^ (1 << (byte & 7))]), after])
  if (kind === 'cut') return before
  return Buffer.concat([before, Buffer.from([byte]), after])
}

test('agrees with JSON.parse on texts with a byte too many, too few or another', () => {
  const tally = { ok: 0, refused: 0 }
  fc.assert(
    fc.property(
      objectText(),
      fc.array(MUTATION, { minLength: 1, maxLength: 3 }),
      AROUND,
      (json, mutations, around) => {
        const bytes = mutations.reduce(mutate, Buffer.from(json))
        const expected = oracle(bytes)
        tally[expected]++
        expect(scan(bytes, around) === 'ok' ? 'ok' : 'refused').toBe(expected)
      },
    ),
    { seed, numRuns: 4000 },
  )
  // Both verdicts must be common, or the property says little.
  expect(tally.ok).toBeGreaterThan(200)
  expect(tally.refused).toBeGreaterThan(200)
})

test.each([
  ['{"a":"\xe4\xb8', '\xad"}'],
  ['{"a":1', '}'],
  ['{"a":tr', 'ue}'],
  ['{"a":[1', ']}'],
  ['{"a":"\\u00', 'e9"}'],
  ['{"a"', ':1}'],
  ['{', '"a":1}'],
])('reads nothing after the end: %j', (json, after) => {
  expect(scan(Buffer.from(json + after, 'latin1'), ['', ''])).toBe('ok')
  expect(scan(Buffer.from(json, 'latin1'), ['', after])).not.toBe('ok')
})

test('agrees with the platform on every sequence of two bytes, and on many of three and four, as UTF-8', () => {
  const wrap = (bytes: readonly number[]) =>
    Buffer.from([...Buffer.from('{"a":"'), ...bytes, ...Buffer.from('"}')])
  const check = (bytes: readonly number[]) => {
    if ((scan(wrap(bytes)) === 'ok' ? 'ok' : 'refused') !== oracle(wrap(bytes)))
      expect(bytes).toBe('agreed on')
  }
  for (let a = 0; a < 256; a++) for (let b = 0; b < 256; b++) check([a, b])
  const edges = [0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0]
  for (const a of [0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef]) {
    for (const b of edges) for (const c of edges) check([a, b, c])
  }
  for (const a of [0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xff]) {
    for (const b of edges) for (const c of edges) for (const d of edges) check([a, b, c, d])
  }
})

describe('says what is wrong', () => {
  const deep = (levels: number) => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
  const deepObjects = (levels: number) => `${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`
  test.each<[string, string, string | Buffer]>([
    ['an array', 'not_an_object', '[{"a":1}]'],
    ['a string', 'not_an_object', '"a"'],
    ['a number', 'not_an_object', '12'],
    ['null', 'not_an_object', ' null '],
    ['nothing', 'bad_json', ''],
    ['NaN', 'bad_json', '{"a":NaN}'],
    ['a comma too many', 'bad_json', '{"a":1,}'],
    ['a cut line', 'bad_json', '{"a":"b'],
    ['a cut escape', 'bad_json', '{"a":"\\u00'],
    ['a leading zero', 'bad_json', '{"a":01}'],
    ['a tab in a string', 'bad_json', '{"a":"\t"}'],
    ['a byte order mark', 'bad_json', '\ufeff{"a":1}'],
    ['a second object', 'trailing_bytes', '{"a":1}{"a":2}'],
    ['a brace too many', 'trailing_bytes', '{"a":1} }'],
    ['a byte that is no UTF-8', 'bad_utf8', Buffer.from('{"a":"\xff"}', 'latin1')],
    ['a cut character', 'bad_utf8', Buffer.from('{"a":"\xe4\xb8"}', 'latin1')],
    ['a surrogate in UTF-8', 'bad_utf8', Buffer.from('{"a":"\xed\xa0\x80"}', 'latin1')],
    ['101 levels', 'too_deep', deep(101)],
    ['101 levels of objects', 'too_deep', deepObjects(101)],
    ['1,000 levels', 'too_deep', deep(1000)],
    ['100,000 levels that are never closed', 'too_deep', `{"a":${'['.repeat(100_000)}`],
  ])('%s: %s', (_, reason, json) => expect(scan(json)).toBe(reason))

  test('a record has 131,072 members at most, at any depth', () => {
    const members = (count: number) => Array.from({ length: count }, (_, n) => `"${n % 1000}":0`).join()
    expect(scan(`{"a":{${members(MOST_MEMBERS - 1)}}}`)).toBe('ok')
    expect(scan(`{"a":{${members(MOST_MEMBERS)}}}`)).toBe('too_many_members')
    expect(scan(`{"a":[{${members(MOST_MEMBERS + 1)}}]}`)).toBe('ok')
  })

  test('100 levels are well', () => {
    expect(scan(deep(100))).toBe('ok')
    expect(scan(deepObjects(100))).toBe('ok')
  })

  test('gives the place', () => {
    const bytes = Buffer.from('xx{"a":1,"b":x}')
    expect(scanner.scan(bytes, 2, bytes.length)).toBe(false)
    expect(scanner.failure).toEqual({ reason: 'bad_json', at: 13 })
  })
})

describe('flags', () => {
  test.each<[string, number]>([
    ['{"a":"\\ud83d\\ude00","b":9007199254740992,"c":1e308}', 0],
    ['{"a":"\\ud800\\udc00\\udbff\\udfff"}', 0],
    ['{"a":"\\ud83d"}', FLAG.loneSurrogate],
    ['{"a":"\\udc00\\udc00"}', FLAG.loneSurrogate],
    ['{"a":"\\ud800\\ue000"}', FLAG.loneSurrogate],
    ['{"\\udc00":1}', FLAG.loneSurrogate],
    ['{"a":[{"b":"\\ud83d\\u0061"}]}', FLAG.loneSurrogate],
    ['{"a":"\\\\ud83d"}', 0],
    ['{"a":1e309}', FLAG.hugeNumber],
    ['{"a":-1e309}', FLAG.hugeNumber],
    [`{"a":${'9'.repeat(400)}}`, FLAG.hugeNumber],
    [`{"a":${'9'.repeat(400)}.5}`, FLAG.hugeNumber],
    [`{"a":0.${'0'.repeat(400)}1}`, 0],
    ['{"a":1e-400}', FLAG.bigInteger],
    ['{"a":9007199254740993}', FLAG.bigInteger],
    ['{"a":[-12345678901234567890]}', FLAG.bigInteger],
    ['{"a":12345678901234567890.50}', FLAG.bigInteger],
    ['{"a":[-0.1234567890123456789]}', FLAG.bigInteger],
    ['{"a":1.2345678901234567890e-5}', FLAG.bigInteger],
    ['{"a":0.30000000000000004,"b":0.10000000000000001,"c":48.208174299999996}', 0],
    ['{"a":123456789012345.00000,"b":0.000000000000000000001,"c":5e-324,"d":0.0000000000000000000}', 0],
    ['{"a":12345678901234567890.5}', FLAG.bigInteger],
    ['{"a":"12345678901234567890"}', 0],
    ['{"a":12345678901234567890,"b":"\\ud800"}', FLAG.bigInteger | FLAG.loneSurrogate],
  ])('%s', (json, flags) => {
    expect(scan(json)).toBe('ok')
    expect(tape.flags & ~FLAG.packed).toBe(flags)
  })

  test.each<[string, boolean]>([
    ['{"a":"{}"}', true],
    ['{"a":"[1]","b":"x"}', true],
    ['{"a":"{\\"b\\":1}"}', true],
    ['{"a":{"b":" [1]"}}', true],
    ['{"a":"\\n{}"}', true],
    ['{"a":{"b":"{}","c":1},"d":2}', true],
    ['{"a":"x","b":[1],"{":1,"c":{"[":"y"}}', false],
    ['{"a":""}', false],
  ])('text that may hold an object or array: %s', (json, packed) => {
    expect(scan(json)).toBe('ok')
    expect((tape.flags & FLAG.packed) !== 0).toBe(packed)
  })

  test('start over with every line', () => {
    scan('{"a":1e400,"b":"\\ud800"}')
    scan('{"a":1}')
    expect(tape.flags).toBe(0)
  })
})

/** What the tape should hold of an object, by a cutter of strings that shares no code with the scanner. */
function expectMembers(bytes: Buffer, json: string, from: number, to: number): void {
  let at = from
  for (const [name, value] of members(json)) {
    expect(keys.text(tape.key(at))).toBe(name)
    expect(bytes.toString('utf8', tape.start(at), tape.end(at))).toBe(value)
    expect(tape.kind(at)).toBe(kindOf(value))
    if (value.startsWith('"')) expect(tape.escaped(at)).toBe(value.includes('\\'))
    const key = `${JSON.stringify(name)}:`
    const isWritten = bytes.toString('utf8', 0, tape.start(at)).endsWith(key)
    const place = tape.start(at) - Buffer.byteLength(key)
    // An escaped key may go unnoticed.
    if (isWritten && key.includes('\\')) expect([place, -1]).toContain(tape.at(at))
    else expect(tape.at(at)).toBe(isWritten ? place : -1)
    if (value.startsWith('{')) expectMembers(bytes, value, at + 1, tape.next(at))
    else expect(tape.next(at)).toBe(at + 1)
    at = tape.next(at)
  }
  expect(at).toBe(to)
}

function kindOf(value: string): number {
  const kinds: Record<string, number> = {
    '"': KIND.string,
    '{': KIND.object,
    '[': KIND.array,
    t: KIND.true,
    f: KIND.false,
    n: KIND.null,
  }
  return kinds[value[0]!] ?? KIND.number
}

test('spans cut exactly the text of every member outside arrays', () => {
  fc.assert(
    fc.property(objectText(), fc.nat(3), (json, start) => {
      const bytes = Buffer.from(`${'x'.repeat(start)}${json}"}`)
      expect(scanner.scan(bytes, start, start + Buffer.byteLength(json))).toBe(true)
      expectMembers(bytes, json, 0, tape.count)
    }),
    { seed, numRuns: 1500 },
  )
})

test('a tape grows to hold a line of many members', () => {
  const json = `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":{"v":${i}}`).join(',')}}`
  const bytes = Buffer.from(json)
  const large = new Tape()
  expect(new Scanner(large).scan(bytes, 0, bytes.length)).toBe(true)
  expect(large.count).toBe(40_000)
  for (let i = 0, n = 0; i < large.count; i = large.next(i), n++) {
    if (bytes.toString('latin1', large.start(i), large.end(i)) !== `{"v":${n}}`) expect(n).toBe('cut well')
  }
})
