import { afterEach, expect, test, vi } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { loadPreset } from '../../src/mapping/presets/index.ts'
import { Walk } from '../../src/mapping/walk.ts'
import { keys } from '../../src/record/keys.ts'

// What becomes of records is compared in test/faults/same-shape.test.ts. These tests say when a record is walked.

const preset = await loadPreset('mixpanel')
const walk = vi.spyOn(Walk.prototype, 'record')
afterEach(() => walk.mockClear())

function newMapper(shapes?: number): Mapper {
  const options = {
    version: '9.9.9',
    switches: new Set<string>(),
    groupEventName: '$groupidentify',
    importId: null,
  }
  return new Mapper(preset, NO_MAPPING, { now: Date.UTC(2026, 0, 1) * 1000, ...options }, shapes)
}

/** Maps a record with these properties; true if it was walked. */
function mapped(mapper: Mapper, properties: string): boolean {
  const line = Buffer.from(`{"event":"e","properties":{"time":1709251200,"distinct_id":"u",${properties}}}`)
  const before = walk.mock.calls.length
  mapper.out.length = 0
  expect(mapper.map(line, 0, line.length).status).toBe('event')
  return walk.mock.calls.length > before
}

function mapperOf(shapes?: number): (properties: object | string) => boolean {
  const mapper = newMapper(shapes)
  return (properties) =>
    mapped(mapper, typeof properties === 'string' ? properties : JSON.stringify(properties).slice(1, -1))
}

test('records of one shape are walked once', () => {
  const isWalked = mapperOf()
  expect(isWalked({ a: 'x', b: { c: 1 }, d: [] })).toBe(true)
  expect(isWalked({ a: true, b: { c: 'a longer one' }, d: [] })).toBe(false)
  expect(isWalked({ a: -1.5, b: { c: [1, { d: 2 }] }, d: [] })).toBe(false)
})

test.each<[string, object | string]>([
  ['another name', { a: 'x', b2: { c: 1 } }],
  ['another order', { b: { c: 1 }, a: 'x' }],
  ['a member more', { a: 'x', b: { c: 1 }, d: 1 }],
  ['a member in another object', { a: 'x', b: {}, c: 1 }],
  ['no value', { a: null, b: { c: 1 } }],
  ["the vendor's word for no value", { a: '(not set)', b: { c: 1 } }],
  ['an empty text', { a: '', b: { c: 1 } }],
  ['an object for a value', { a: { x: 1 }, b: { c: 1 } }],
])('a record with %s is walked', (_, other) => {
  const isWalked = mapperOf()
  isWalked({ a: 'x', b: { c: 1 } })
  expect(isWalked(other)).toBe(true)
  expect(isWalked({ a: 'x', b: { c: 1 } })).toBe(false)
})

test('what the tables alone do not tell is walked for each record', () => {
  const isWalked = mapperOf()
  for (let i = 0; i < 3; i++) expect(isWalked('"a":1,"a":2')).toBe(true)
})

test('no more shapes are remembered than were asked for', () => {
  const isWalked = mapperOf(2)
  expect([{ a: 1 }, { b: 1 }, { c: 1 }].map(isWalked)).toEqual([true, true, true])
  expect([{ a: 1 }, { b: 1 }, { c: 1 }].map(isWalked)).toEqual([false, false, true])
})

test('properties of known shapes are counted by their names, also when the names of the data are let go', () => {
  const mapper = newMapper()
  const map = (properties: object) => mapped(mapper, JSON.stringify(properties).slice(1, -1))
  map({ apples: 1, pears: 2 })
  expect(mapper.takeInventory().properties).toMatchObject({ apples: 1, pears: 1 })
  map({ apples: 3, pears: 4 })
  const { generation } = keys
  for (let i = 0; keys.generation === generation; i++)
    map(Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`id ${i} ${n}`, n])))
  map({ apples: 5, pears: 6 })
  expect(mapper.takeInventory().properties).toMatchObject({ apples: 2, pears: 2 })
})

test('where most records have a shape of their own, none is looked for any more', () => {
  // There is room for all of them.
  const isWalked = mapperOf(65_536)
  for (let i = 0; i < 2 * 8192; i++) isWalked(`"p${i % 5000}":1,"q${i % 7}":1`)
  const known = { one: 1 }
  isWalked(known)
  expect(isWalked(known)).toBe(true)
})
