import { describe, expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import { definePreset, enginePreset, type OwnPreset } from '../../src/mapping/own-preset.ts'
import { type Draft, Rejection } from '../../src/mapping/preset.ts'
import { eventText } from '../helpers/event-text.ts'
import { AT_2026 } from '../helpers/mapper.ts'

const acme: OwnPreset = {
  vendor: 'acme',
  fields: { name: '@name', user: '@user', at: '@at', 'props.*': '*' },
  events: { view: '$pageview' },
  eventName: (record) => record.text('name'),
  distinctId: (record) => record.text('user'),
  timestamp: (record) => Date.parse(record.text('at') ?? '') * 1000,
}

function map(preset: OwnPreset, record: string) {
  const mapper = new Mapper(enginePreset(preset, 'the preset'), NO_MAPPING, AT_2026)
  const bytes = Buffer.from(record)
  const mapped = mapper.map(bytes, 0, bytes.length)
  return { mapped, line: eventText(mapped) }
}

const RECORD = '{"name":"view","user":"u1","at":"2024-01-01T00:00:00Z","props":{"n":1.0,"e":1E+5}}'

test('maps records as a built-in preset does, values byte for byte', () => {
  const { mapped, line } = map(acme, RECORD)
  expect(mapped.status).toBe('event')
  expect(line).toContain('"event":"$pageview","distinct_id":"u1"')
  expect(line).toContain('"n":1.0,"e":1E+5')
  expect(line).toContain('"analytics_source":"acme"')
})

describe('what a function throws or returns makes a reject that names it', () => {
  class Foreign extends Error {
    readonly reason = 'of_another_copy'
  }
  Object.defineProperty(Foreign, 'name', { value: 'Rejection' })
  const throwing = (error: Error) => () => {
    throw error
  }
  const drafting = (perform: (draft: Draft) => unknown): Partial<OwnPreset> => ({
    perform: (_, draft) => void perform(draft),
  })
  test.each<[string, object, string, RegExp]>([
    ['a bug', { eventName: () => decodeURI('%') }, 'preset_failed', /^eventName failed: URI/],
    [
      'a RangeError',
      { distinctId: () => 'x'.repeat(-1) },
      'preset_failed',
      /^distinctId failed: Invalid count/,
    ],
    ['an id that is a number', { distinctId: () => 7 }, 'preset_failed', /a number, not text/],
    ['a promise', { eventName: async () => 'x' }, 'preset_failed', /a promise, not text/],
    ['an async perform', { perform: async () => undefined }, 'preset_failed', /it is async/],
    ['a uuid that is none', { uuid: () => 'seven' }, 'preset_failed', /no UUID/],
    ['a time that is none', { timestamp: () => Number.NaN }, 'preset_failed', /whole number of microseconds/],
    [
      'text for JSON',
      drafting((draft) => draft.property('a', 'x"')),
      'preset_failed',
      /^perform failed: a was given/,
    ],
    [
      'a list for a group',
      drafting((draft) => draft.groupProperties('t', 'k', '[]')),
      'preset_failed',
      /no object/,
    ],
    [
      'a time that parseTime refuses',
      { timestamp: throwing(new RangeError('no time')) },
      'timestamp_unparsable',
      /no time/,
    ],
    [
      'a rejection of its own',
      { timestamp: throwing(new Rejection('too_odd', 'it is odd')) },
      'too_odd',
      /it is odd/,
    ],
    [
      'a rejection by another copy of posthaul',
      { distinctId: throwing(new Foreign('it is foreign')) },
      'of_another_copy',
      /it is foreign/,
    ],
  ])('%s', (_, wrong, reason, message) => {
    // Presets in plain JavaScript can do anything.
    const { mapped, line } = map(Object.assign({ ...acme }, wrong), RECORD)
    expect(mapped).toMatchObject({ status: 'rejected', reason, message: expect.stringMatching(message) })
    expect(line).toBe('')
  })
})

test.each<[string, object, RegExp, RegExp]>([
  ['a member that is misspelt', { evnts: {} }, /it: Unrecognized key: "evnts"/, /docs\/presets\.md/],
  ['no fields', { fields: undefined }, /fields: expected an object of paths/, /docs\/presets/],
  ['a target that is a number', { fields: { a: 7 } }, /fields\.a: expected a target/, /docs/],
  ['a path that is none', { fields: { 'a..b': 'x' } }, /fields\.a\.\.b: expected a dotted path/, /docs/],
  ['no function', { timestamp: 'now' }, /timestamp: expected a function/, /docs/],
  ['a vendor with blanks', { vendor: 'Acme Inc' }, /vendor: expected a word/, /docs/],
])('refuses %s', (_, wrong, message, hint) => {
  expect(() => definePreset(Object.assign({ ...acme }, wrong))).toThrow(
    expect.objectContaining({
      code: 'config',
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    }),
  )
})
