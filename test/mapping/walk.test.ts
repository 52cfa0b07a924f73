import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Preset } from '../../src/mapping/preset.ts'
import { members } from '../../src/record/json-values.ts'
import { objectText } from '../helpers/json-text.ts'
import { seedOf } from '../helpers/random.ts'
import { ADDED, engineOf, mapWith, ownProperties, plain } from '../transform/plain.ts'

const seed = seedOf('walk')
const BASE = { event: '@event', user: '@user' }

function properties(fields: Preset['fields'], record: object | string, more: Partial<Preset> = {}) {
  return ownProperties(engineOf({ fields: { ...BASE, ...fields }, ...more }), record)
}

describe('a target', () => {
  test('is a property, several, or none', () => {
    const fields = { a: 'x', b: ['y', 'z', 'set:b'], c: [], '*': '*' }
    expect(properties(fields, { a: 1, b: 2, c: 3, d: 4 })).toEqual({ x: 1, y: 2, z: 2, d: 4, $set: { b: 2 } })
  })

  test('is a person property, set or set once', () => {
    const fields = { a: 'set:x', b: 'once:$initial_b', '*': [] }
    expect(properties(fields, { a: 1, b: 2, c: 3 })).toEqual({ $set: { x: 1 }, $set_once: { $initial_b: 2 } })
  })

  test('may reach into objects, whose other members go where their pattern says', () => {
    const fields = { 'o.a': 'x', 'o.*': 'o_*', 'o.deep.b': 'y', '*': '*' }
    expect(properties(fields, { o: { a: 1, deep: { b: 2, c: 3 }, d: { e: 4 } } })).toEqual({
      x: 1,
      y: 2,
      c: 3,
      o_d: { e: 4 },
    })
  })

  test('for the members of an object leaves a value that is none to the object’s own rule', () => {
    const fields = { o: 'kept', 'o.a': 'x', '*': '*' }
    expect(properties(fields, { o: 5 })).toEqual({ kept: 5 })
    expect(properties(fields, { o: { a: 1 } })).toEqual({ x: 1 })
    expect(properties({ 'o.a': 'x', '*': '*' }, { o: [1] })).toEqual({ o: [1] })
  })
})

describe('a pattern', () => {
  test('takes what has no rule of its own, the longest first', () => {
    const fields = {
      initial_x: 'own',
      'initial_utm_*': 'once:utm_*',
      'initial_*': 'once:$initial_*',
      '*': '*',
    }
    expect(properties(fields, { initial_x: 1, initial_utm_a: 2, initial_y: 3, other: 4 })).toEqual({
      own: 1,
      other: 4,
      $set_once: { utm_initial_utm_a: 2, $initial_initial_y: 3 },
    })
  })

  test('matches a name however it is escaped', () => {
    const fields = { 'initial_*': [], '*': '*' }
    expect(properties(fields, '{"event":"E","user":"u","\\u0069nitial_y":1,"\\u006fther":2}')).toEqual({
      other: 2,
    })
  })

  test('of nothing keeps all', () => {
    expect(properties({}, { a: 1, 'b.c': 2, '*': 3 })).toEqual({ a: 1, 'b.c': 2, '*': 3 })
  })
})

describe('of two fields that give one property', () => {
  const fields = { first: 'x', second: 'x', '*': '*' }
  test.each([
    ['the first listed wins, when it comes first', '"first":1,"second":2'],
    ['the first listed wins, when it comes last', '"second":2,"first":1'],
  ])('%s', (_, text) => {
    expect(properties(fields, `{"event":"E","user":"u",${text}}`)).toEqual({ x: 1 })
  })

  test.each(['"x":3,"first":1', '"first":1,"x":3'])(
    'the one that only kept its name goes by the vendor’s: %s',
    (text) => {
      expect(properties(fields, `{"event":"E","user":"u",${text}}`)).toEqual({ x: 1, $plain_x: 3 })
    },
  )

  test('nothing is kept twice when they say the same', () => {
    expect(properties(fields, { first: 1, x: 1 })).toEqual({ x: 1 })
  })

  test('an empty one is none', () => {
    expect(properties(fields, { first: '', second: 2 })).toEqual({ x: 2 })
    expect(properties(fields, { first: '(none)', second: 2 })).toEqual({ x: 2 })
    expect(properties(fields, { first: null, x: 3 })).toEqual({ x: 3 })
  })
})

describe('a slot', () => {
  const eventNames = { eventName: (record: Parameters<Preset['eventName']>[0]) => record.text('name') }
  const nameOf = (record: object | string) => {
    const engine = engineOf({
      fields: { user: '@user', first: '@name', second: '@name', '*': [] },
      ...eventNames,
    })
    const { line } = mapWith(
      engine,
      typeof record === 'string' ? `{"user":"u",${record}}` : { user: 'u', ...record },
    )
    return line === '' ? undefined : JSON.parse(line).event
  }

  test('holds the field that is listed first, unless that says nothing', () => {
    expect(nameOf({ first: 'a', second: 'b' })).toBe('a')
    expect(nameOf({ second: 'b', first: 'a' })).toBe('a')
    expect(nameOf({ second: 'b', first: '' })).toBe('b')
    expect(nameOf({ second: 'b', first: null })).toBe('b')
    expect(nameOf({ first: null, second: 'b' })).toBe('b')
    expect(nameOf({ first: 'a', second: '' })).toBe('a')
  })

  test('holds the last of a name that occurs twice', () => {
    expect(nameOf('"first":"a","first":"b"')).toBe('b')
    expect(nameOf('"first":"a","\\u0066irst":"c"')).toBe('c')
  })

  test('gives numbers and booleans as written, containers and nothing as nothing', () => {
    expect(nameOf('"first":1.50')).toBe('1.50')
    expect(nameOf('"first":true')).toBe('true')
    expect(nameOf('"first":{"a":1}')).toBeUndefined()
    expect(nameOf('"first":[]')).toBeUndefined()
    expect(nameOf({})).toBeUndefined()
  })

  test('is emptied from record to record', () => {
    const engine = engineOf()
    mapWith(engine, { event: 'E', user: 'u', anon: 'a' })
    expect(mapWith(engine, { event: 'E', user: 'u' }).mapped).toMatchObject({ link: undefined })
    expect(mapWith(engine, { event: 'E' }).mapped).toMatchObject({ reason: 'distinct_id_missing' })
  })
})

describe('keys that occur twice', () => {
  test.each([
    ['at the top', '"a":1,"a":2', { a: 2 }],
    ['escaped', '"a":1,"\\u0061":2', { a: 2 }],
    ['in an object that is walked', '"o":{"p":1,"p":2}', { p: 2 }],
    ['that are such an object', '"o":{"p":1,"q":3},"o":{"p":2}', { p: 2 }],
    ['with a rule of their own', '"r":1,"r":2', { s: 2 }],
  ])('the last wins, and is counted: %s', (_, text, expected) => {
    const engine = engineOf({ fields: { ...BASE, 'o.z': 'z', 'o.*': '*', r: 's', '*': '*' } })
    expect(ownProperties(engine, `{"event":"E","user":"u",${text}}`)).toEqual(expected)
    expect(engine.takeNotes().duplicate_keys).toBe(1)
  })

  test('deep in a value that is copied are left alone', () => {
    const engine = engineOf()
    const { line } = mapWith(engine, '{"event":"E","user":"u","o":{"a":1,"a":2}}')
    expect(line).toContain('"o":{"a":1,"a":2}')
  })
})

test('every value that no rule touches comes out byte for byte', () => {
  const engine = engineOf({ fields: { ...BASE, '*': '*' }, empty: undefined })
  const taken = new Set(['event', 'user', 'distinct_id', ...Object.keys(ADDED)])
  fc.assert(
    fc.property(objectText({ sendable: true }), (json) => {
      const inner = json.slice(1, -1)
      const { mapped, line } = mapWith(
        engine,
        `{"event":"E","user":"u"${inner.trim() === '' ? '' : `,${inner}`}}`,
      )
      expect(mapped.status).toBe('event')
      const [, text] = members(line).find(([name]) => name === 'properties')!
      const expected = new Map(members(json).filter(([name]) => !taken.has(name)))
      const found = members(text).filter(([name]) => !taken.has(name) && name !== '$plain_distinct_id')
      expect(new Map(found)).toEqual(expected)
      expect(found).toHaveLength(expected.size)
    }),
    { seed, numRuns: 1500 },
  )
})

test('names of the language itself are names', () => {
  const names = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', '']
  const text = names.map((name, i) => `"${name}":${i}`).join(',')
  const { line } = mapWith(engineOf(), `{"event":"__proto__","user":"constructor",${text}}`)
  const found = new Map(members(members(line).find(([name]) => name === 'properties')![1]))
  for (const [i, name] of names.entries()) expect(found.get(name)).toBe(String(i))
  expect([JSON.parse(line).event, JSON.parse(line).distinct_id]).toEqual(['__proto__', 'constructor'])
  expect(plain.events).toEqual({ Old: 'New' })
})
