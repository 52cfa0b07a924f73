import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { buildV1Event } from '../../node_modules/posthog-node/dist/capture-v1/transform.js'
import { lineOfPlainV1, V1Events } from '../../src/delivery/v1-event.ts'
import { writePlainV1 } from '../../src/delivery/v1-form.ts'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { seedOf } from '../helpers/random.ts'

const seed = seedOf('v1-event')
const HEAD = '{"uuid":"00000000-0000-5000-8000-000000000001","timestamp":"2024-01-01T00:00:00.000000Z"'
const SKEW = '"disable_skew_correction":true'

function lineOf(properties: string, event = '"e"', id = '"u"'): string {
  return `${HEAD},"event":${event},"distinct_id":${id},"properties":${properties}}`
}

/** The V1 forms of lines that stand in one buffer as in a request, or why V1 would drop them. */
function formsOf(...lines: readonly string[]): string[] {
  const { forms, refusals } = writeAll(lines, true)
  const written = forms === '' ? [] : forms.split(/,(?={"uuid")/)
  return refusals.map((refusal) => refusal ?? written.shift()!)
}

function writeAll(lines: readonly string[], mayHavePlaces: boolean) {
  const from = new ByteWriter(8)
  const to = new ByteWriter(8)
  const spans = lines.map((line) => {
    if (from.length > 0) from.byte(0x2c)
    const start = from.length
    from.utf8(line)
    return [start, from.length] as const
  })
  from.utf8(']}')
  const events = new V1Events(mayHavePlaces)
  events.begin(from)
  const refusals = spans.map(([start, end]) => {
    const refusal = events.read(start, end)
    if (refusal) return refusal.reason
    if (to.length > 0) to.byte(0x2c)
    events.write(to)
    return undefined
  })
  return { refusals, forms: to.bytes.toString('utf8', 0, to.length) }
}

const formOf = (line: string) => formsOf(line)[0]!
const parsed = (text: string) => JSON.parse(text) as Record<string, unknown>

test('the options come after the properties, and all else is copied', () => {
  expect(formOf(lineOf('{"distinct_id":"u","n":1.0,"o":{"a":[1E+5]}}'))).toBe(
    `${HEAD},"event":"e","distinct_id":"u","properties":{"n":1.0,"o":{"a":[1E+5]}},"options":{${SKEW}}}`,
  )
})

describe('distinct_id is at the root, not in the properties', () => {
  test.each([
    ['alone', '{"distinct_id":"u"}', '{}', '"u"'],
    ['before others', '{"distinct_id":"u","a":1}', '{"a":1}', '"u"'],
    ['with blanks after it', '{"distinct_id":"u" , "a":1}', '{"a":1}', '"u"'],
    ['in escapes', '{"distinct_id":"\\"\\u00e9","a":1}', '{"a":1}', '"\\"\\u00e9"'],
    ['before a place', '{"distinct_id":"u","$session_id":"s","a":1}', '{"a":1}', '"u"'],
    ['but another value stays', '{"distinct_id":"v","a":1}', '{"distinct_id":"v","a":1}', '"u"'],
  ])('%s', (_, properties, rest, id) => {
    const line = lineOf(properties, '"e"', id)
    expect(formOf(line)).toContain(`"properties":${rest},"options"`)
    if (properties.includes('$session_id') || properties.includes('v') || properties.includes(' ')) return
    const to = new ByteWriter(8)
    expect(writePlainV1(Buffer.from(line), 0, Buffer.byteLength(line), to)).toBe(undefined)
    expect(to.bytes.toString('utf8', 0, to.length)).toBe(formOf(line))
    expect(lineOfPlainV1(to.bytes, 0, to.length).toString()).toBe(line)
  })
})

test('lines that V1 would drop are left out, wherever they stand', () => {
  const [good, other] = [lineOf('{"a":1}'), lineOf('{"$session_id":"s","b":2}', '"other"')]
  const bad = lineOf('{}', '""')
  const [a, b] = [formOf(good), formOf(other)]
  for (const lines of [
    [good, other, good, good],
    [bad, good, good, other],
    [good, bad, bad, good, other, bad],
    [other, other, bad, good, good],
    [bad],
  ]) {
    const expected = lines.filter((line) => line !== bad).map((line) => (line === good ? a : b))
    expect(writeAll(lines, true).forms).toBe(expected.join())
  }
})

test('what is known to be nowhere is not searched', () => {
  const line = lineOf('{"$session_id":"s"}')
  const form = `${HEAD},"event":"e","distinct_id":"u","properties":{"$session_id":"s"},"options":{${SKEW}}}`
  expect(writeAll([line, line], false).forms).toBe(`${form},${form}`)
})

describe('a property is taken', () => {
  test.each([
    ['when it is alone', '{"$session_id":"s"}', '{}'],
    ['when it is first', '{"$session_id":"s","a":1}', '{"a":1}'],
    ['when others of them are first too', '{"$window_id":"w","$session_id":"s","a":1}', '{"a":1}'],
    ['with blanks around its name', '{"a":1 , "$session_id" : "s" , "b":2}', '{"a":1 , "b":2}'],
    ['with its name in escapes', '{"a":1,"\\u0024session_id":"s"}', '{"a":1}'],
    ['with a letter of its name in escapes', '{"a":1,"$se\\u0073sion_id":"s"}', '{"a":1}'],
    ['after an object', '{"o":{"x":1},"$session_id":"s"}', '{"o":{"x":1}}'],
    ['when it comes twice: the last counts', '{"$session_id":"r","a":1,"$session_id":"s"}', '{"a":1}'],
    ['when it is empty', '{"$session_id":""}', '{}', ''],
    ['when the first of two is of another kind', '{"a":1,"$session_id":7,"$session_id":"s"}', '{"a":1}'],
  ])('%s', (_, properties, rest, id = 's') => {
    const form = formOf(lineOf(properties))
    expect(parsed(form)).toMatchObject({ session_id: id })
    expect(form).toContain(`"properties":${rest},"options"`)
  })
})

describe('what V1 would drop is refused', () => {
  const long = 'é'.repeat(100)
  test.each([
    ['a name of 201 bytes', lineOf('{}', `"${long}x"`), 'event_name_too_long'],
    ['no name', lineOf('{}', '""'), 'event_missing'],
    ['an id of 201 bytes', lineOf('{}', '"e"', `"${long}x"`), 'distinct_id_too_long'],
    ['a blank id', lineOf('{}', '"e"', '" \\t"'), 'distinct_id_missing'],
    ['an empty id', lineOf('{}', '"e"', '""'), 'distinct_id_missing'],
    ['properties that are no object', lineOf('null'), 'not_an_event_line'],
    ['properties that break off', lineOf('{"a":{"$session_id":"s"},"b":}'), 'not_an_event_line'],
    [
      'another member before the properties',
      lineOf('{}').replace('"properties"', '"x":1,"properties"'),
      'not_an_event_line',
    ],
  ])('%s', (_, line, reason) => {
    expect(formOf(line)).toBe(reason)
  })

  test.each([
    ['a name of 200 bytes', `"${long}"`, '"u"'],
    ['a name of 200 bytes in escapes', `"${'\\u00e9'.repeat(100)}"`, '"u"'],
    ['an id of 200 bytes', '"e"', `"${long}"`],
    ['an id with a blank at its end', '"e"', '"u "'],
  ])('but not %s', (_, event, id) => {
    expect(parsed(formOf(lineOf('{}', event, id)))).toMatchObject({ options: {} })
  })
})

const NAMES = [
  ...['$session_id', '$window_id', '$process_person_profile', '$cookieless_mode', '$product_tour_id'],
  ...['$ignore_sent_at', '$set', 'a', 'é"', '"$session_id', '$session_id2'],
]
const VALUES = [
  ...['"s"', '"\\\\"', '""', 'true', 'false', 'null', '1.50', '"{"', '"\\u00e9"', '" TRUE"', '"0"', '0.0'],
  '[{"b":1,"$session_id":"x"}]',
  '{"$window_id":"x","b":{"c":1,"$window_id":"x"}}',
  '"$session_id"',
  '["a","$window_id" ]',
  '"x\\",\\"$session_id\\":\\"s\\""',
]

/** A member as its name, how the name is spelled, and its value. */
const MEMBER = fc.tuple(
  fc.constantFrom(...NAMES),
  fc.constantFrom('plain', 'escaped', 'blank'),
  fc.constantFrom(...VALUES),
)

function spelled([name, how, value]: readonly [string, string, string]): string {
  const plain = JSON.stringify(name)
  if (how === 'blank') return ` ${plain} :\t${value} `
  if (how === 'plain') return `${plain}:${value}`
  const escaped = [...name].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
  return `"${escaped}":${value}`
}

/** What the official client of Node makes of the event: slow, and it bends no value of these. */
function expected(line: string): Record<string, unknown> {
  const { properties, ...rest } = parsed(line) as { properties: object; timestamp: string }
  const asked = { ...properties, $ignore_sent_at: true }
  return { ...buildV1Event({ ...rest, properties: asked }), timestamp: rest.timestamp }
}

test('any lines in one buffer have the form that parsing them would give', () => {
  fc.assert(
    fc.property(fc.array(fc.array(MEMBER, { maxLength: 9 }), { minLength: 1, maxLength: 4 }), (lines) => {
      const texts = lines.map((members) => lineOf(`{${members.map(spelled).join(',')}}`))
      expect(formsOf(...texts).map(parsed)).toEqual(texts.map(expected))
    }),
    { seed, numRuns: 1000 },
  )
})
