import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { hashBytes } from '../../src/record/bytes.ts'
import { members as cut } from '../../src/record/json-values.ts'
import { keyOf, keys } from '../../src/record/keys.ts'
import { Members, PUT } from '../../src/record/members.ts'
import { Scanner } from '../../src/record/scan.ts'
import { Tape } from '../../src/record/tape.ts'
import { objectText } from '../helpers/json-text.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('members')
const tape = new Tape()
const scanner = new Scanner(tape)

function put(members: Members, key: string, value: string, rank?: number): number {
  const bytes = Buffer.from(value)
  return members.put(keys.ofText(key), bytes, 0, bytes.length, rank)
}

/** Puts a member of the scanned record under its own key. */
function putOwn(members: Members, bytes: Buffer, index: number): number {
  return members.put(tape.key(index), bytes, tape.start(index), tape.end(index), 0, tape.at(index))
}

function hashOf(text: string): number {
  const bytes = Buffer.from(text)
  return hashBytes(bytes, 0, bytes.length)
}

/** The members as they are written, without braces and the first comma. */
function textOf(members: Members): string {
  const writer = new ByteWriter(1)
  members.writeObject(writer)
  const object = writer.bytes.toString('utf8', 0, writer.length)
  writer.length = 0
  members.write(writer)
  const text = writer.bytes.toString('utf8', 0, writer.length)
  expect(object).toBe(`{${text.slice(1)}}`)
  expect(text.slice(0, 1)).toBe(members.count > 0 ? ',' : '')
  return text.slice(1)
}

test('an untouched object comes out with every value byte for byte, under the last of equal keys', () => {
  const members = new Members()
  fc.assert(
    fc.property(objectText(), fc.constantFrom('', '{"', ' ":'), (json, before) => {
      const bytes = Buffer.from(before + json)
      scanner.scan(bytes, Buffer.byteLength(before), bytes.length)
      members.clear()
      const expected = new Map<string, string>()
      for (const [name, value] of cut(json)) expected.set(name, value)
      let replaced = 0
      for (let i = 0; i < tape.count; i = tape.next(i)) {
        if (putOwn(members, bytes, i) === PUT.replaced) replaced++
      }
      expect(replaced).toBe(cut(json).length - expected.size)
      expect(cut(`{${textOf(members)}}`)).toEqual([...expected])
    }),
    { seed, numRuns: 2000 },
  )
})

test('members of two sources that lie alike are not taken for neighbours', () => {
  const [one, other] = [Buffer.from('"a":1,"b":2'), Buffer.from('"a":8,"b":9')]
  const [a, b] = [keyOf('a'), keyOf('b')]
  const members = new Members()
  for (const [first, second, text] of [
    [one, other, '"a":1,"b":9'],
    [other, one, '"a":8,"b":2'],
    [one, one, '"a":1,"b":2'],
  ] as const) {
    members.clear()
    members.put(a, first, 4, 5, 0, 0)
    members.put(b, second, 10, 11, 0, 6)
    expect(textOf(members)).toBe(text)
  }
})

describe('a key put twice', () => {
  test('keeps its place and takes the last value', () => {
    const members = new Members()
    expect([put(members, 'a', '1'), put(members, 'b', '2'), put(members, 'a', '3')]).toEqual([
      PUT.added,
      PUT.added,
      PUT.replaced,
    ])
    expect(textOf(members)).toBe('"a":3,"b":2')
  })

  test('takes the value of the lower rank, and hands out the one it replaces', () => {
    const members = new Members()
    put(members, 'a', '"first"', 5)
    expect(put(members, 'a', '"worse"', 6)).toBe(PUT.kept)
    expect(textOf(members)).toBe('"a":"first"')
    expect(put(members, 'a', '"better"', 2)).toBe(PUT.outranked)
    const { source, start, end, rank } = members.lost
    expect([source.toString('utf8', start, end), rank]).toEqual(['"first"', 5])
    expect(put(members, 'a', '"as good"', 2)).toBe(PUT.replaced)
    expect(put(members, 'a', '"first again"', 5)).toBe(PUT.kept)
    expect(textOf(members)).toBe('"a":"as good"')
  })

  test('is one key however it is escaped', () => {
    const bytes = Buffer.from('{"\\u0061":1,"a":2,"\\/":3,"/":4,"\\u00e9":5,"é":6,"\\"":7,"\\u0022":8}')
    scanner.scan(bytes, 0, bytes.length)
    const members = new Members()
    for (let i = 0; i < tape.count; i = tape.next(i)) putOwn(members, bytes, i)
    expect(textOf(members)).toBe('"a":2,"/":4,"é":6,"\\"":8')
  })
})

test('keys of one hash stay two', () => {
  // Found once by a search; a change of the hash asks for another pair.
  const [a, b] = ['k00czpa', 'k0265b0']
  expect(hashOf(a)).toBe(hashOf(b))
  const members = new Members()
  put(members, a, '1')
  expect(put(members, b, '2')).toBe(PUT.added)
  expect(put(members, a, '3')).toBe(PUT.replaced)
  expect(textOf(members)).toBe(`"${a}":3,"${b}":2`)
  expect([members.has(keyOf(a)), members.has(keyOf(b)), members.has(keyOf('other'))]).toEqual([
    true,
    true,
    false,
  ])
})

test('grows past its table, and starts over', () => {
  const members = new Members()
  for (let round = 0; round < 3; round++) {
    members.clear()
    const size = [10, 5000, 20_000][round]!
    let [added, replaced] = [0, 0]
    for (let i = 0; i < size; i++) if (put(members, `k${i}`, `${round}${i}`) === PUT.added) added++
    for (let i = 0; i < size; i += 7) if (put(members, `k${i}`, `${i}`) === PUT.replaced) replaced++
    expect([added, replaced]).toEqual([size, Math.ceil(size / 7)])
    expect(members.count).toBe(size)
    const value = (i: number) => (i % 7 === 0 ? `${i}` : `${round}${i}`)
    expect(textOf(members)).toBe(Array.from({ length: size }, (_, i) => `"k${i}":${value(i)}`).join(','))
    expect(members.has(keyOf(`k${size}`))).toBe(false)
  }
})

test('is empty when it is new, and when it was cleared', () => {
  const members = new Members()
  expect([members.has(keyOf('a')), textOf(members)]).toEqual([false, ''])
  put(members, 'a', '1')
  members.clear()
  expect([members.has(keyOf('a')), textOf(members), members.json(keyOf('a'))]).toEqual([false, '', undefined])
})

test('100,000 escaped keys are no more work than their number', () => {
  const json = `{${Array.from({ length: 100_000 }, (_, i) => `"\\u0061${i}":${i}`).join(',')}}`
  const bytes = Buffer.from(json)
  scanner.scan(bytes, 0, bytes.length)
  const members = new Members()
  // Quadratic, this takes minutes, and the test its time limit.
  for (let i = 0; i < tape.count; i = tape.next(i)) putOwn(members, bytes, i)
  expect(members.count).toBe(100_000)
  expect(textOf(members)).toBe(json.slice(1, -1).replaceAll('\\u0061', 'a'))
})

test('hands values out: as written, decoded, one by one', () => {
  const members = new Members()
  put(members, 'a', '"x\\u00e9\\n"')
  put(members, 'é', '1.0')
  expect(members.json(keyOf('a'))).toBe('"x\\u00e9\\n"')
  expect(members.text(keyOf('a'))).toBe('xé\n')
  expect(members.text(keyOf('é'))).toBeUndefined()
  expect([members.json(keyOf('b')), members.text(keyOf('b'))]).toEqual([undefined, undefined])
  const seen: string[] = []
  members.visit((key, value, start, end) => seen.push(keys.text(key), value.toString('utf8', start, end)))
  expect(seen).toEqual(['a', '"x\\u00e9\\n"', 'é', '1.0'])
})
