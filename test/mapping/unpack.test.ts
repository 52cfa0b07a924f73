import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { members } from '../../src/record/json-values.ts'
import { objectText } from '../helpers/json-text.ts'
import { seedOf } from '../helpers/random.ts'
import { engineOf, mapWith, ownProperties } from '../transform/plain.ts'

const preset = {
  fields: { event: '@event', user: '@user', 'bag.*': '*', '*': '*' },
  unpack: ['bag', 'sack'],
  empty: undefined,
}
const unpacked = (record: object | string) => ownProperties(engineOf(preset), record)

describe('a string that holds JSON', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['is read as its object', '{"a":1}', { a: 1 }],
    ['may hold blanks and line breaks', ' {\n"a" : {\r\n"b":[1,\n2]} }\n', { a: { b: [1, 2] } }],
    ['may be empty', '{}', {}],
    ['may hold an array', ' [1,\n2]', { bag: [1, 2] }],
    ['stays a string when it is half an array', '[1', { bag: '[1' }],
    ['stays a string when it is an array and more', '[1],"x":[2]', { bag: '[1],"x":[2]' }],
    ['stays a string when it is a number', '7', { bag: '7' }],
    ['stays a string when it is no JSON', '{a:1}', { bag: '{a:1}' }],
    ['stays a string when something follows', '{"a":1}x', { bag: '{"a":1}x' }],
    ['stays what it is when it is an object', { a: 1 }, { a: 1 }],
    ['stays null', null, { bag: null }],
  ])('%s', (_, bag, expected) => expect(unpacked({ bag })).toEqual(expected))

  test('keeps to one line', () => {
    const { line } = mapWith(engineOf(preset), { event: 'E', user: 'u', bag: '{"a":{\r\n"b":\n1}}' })
    expect(line).not.toMatch(/[\r\n]/)
  })

  test('is opened at any depth, in an object and in opened text', () => {
    const fields = { event: '@event', user: '@user', 'a.b.c': 'c', 'a.b.*': 'b_*', 'a.*': '*', '*': '*' }
    const inner = JSON.stringify({ c: 1, d: '{"not":"looked into"}' })
    for (const a of [{ b: inner }, JSON.stringify({ b: inner }), JSON.stringify({ b: JSON.parse(inner) })])
      expect(ownProperties(engineOf({ fields }), { a })).toEqual({ c: 1, b_d: '{"not":"looked into"}' })
  })

  test('is opened where a mapping file looks into it', () => {
    const engine = engineOf({}, 'fields: { distinct_id: meta.user.id }')
    const { line } = mapWith(engine, { event: 'E', meta: '{"user":{"id":"u-7"}}' })
    expect(JSON.parse(line)).toMatchObject({
      distinct_id: 'u-7',
      properties: { meta: { user: { id: 'u-7' } } },
    })
  })

  test('is opened under an escaped name, and beside others', () => {
    expect(
      unpacked('{"event":"E","user":"u","\\u0062ag":"{\\"a\\":1}","sack":"{\\"c\\":2}","d":"{}"}'),
    ).toEqual({ a: 1, sack: { c: 2 }, d: '{}' })
  })

  test('keeps its values byte for byte, record after record', () => {
    const engine = engineOf(preset)
    fc.assert(
      fc.property(objectText({ sendable: true }), (json) => {
        const { line } = mapWith(engine, { event: 'E', user: 'u', bag: json })
        const [, text] = members(line).find(([name]) => name === 'properties')!
        const found = new Map(members(text))
        for (const [name, value] of new Map(members(json))) {
          const expected = value.replace(/[\r\n]/g, ' ')
          if (name !== 'distinct_id') expect(found.get(name)).toBe(expected)
        }
      }),
      { seed: seedOf('unpack'), numRuns: 800 },
    )
  })
})

describe('what the service would refuse is mended, and counted', () => {
  test.each<[string, string, string, Record<string, number>]>([
    [
      'in the text within',
      '{\\"a\\":\\"\\\\ud800\\",\\"b\\":1e400}',
      '"a":"\\ufffd","b":"1e400"',
      { lone_surrogate: 1, huge_number: 1 },
    ],
    [
      'in the text that holds it',
      '{\\"a\\":\\"\\ud800\\"}',
      '"a":"\ufffd"',
      { lone_surrogate: 1, huge_number: 0 },
    ],
  ])('%s', (_, bag, expected, mends) => {
    const engine = engineOf(preset)
    const { line } = mapWith(engine, `{"event":"E","user":"u","bag":"${bag}"}`)
    expect(line.replace('\\ufffd', '\ufffd')).toContain(expected.replace('\\ufffd', '\ufffd'))
    expect(engine.takeNotes().mends).toMatchObject(mends)
  })

  test('depth counts with the text opened', () => {
    const deep = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`
    expect(mapWith(engineOf(preset), { event: 'E', user: 'u', bag: deep(98) }).mapped.status).toBe('event')
    expect(mapWith(engineOf(preset), { event: 'E', user: 'u', bag: deep(99) }).mapped).toMatchObject({
      reason: 'too_deep',
    })
  })
})
