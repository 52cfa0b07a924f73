import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHILD, type Exploded, Exploder, elementSpans } from '../../src/mapping/explode.ts'
import type { Explode } from '../../src/mapping/preset.ts'
import { noMends } from '../../src/record/mend.ts'
import { seedOf } from '../helpers/random.ts'

const ACTIONS: Explode = { member: 'actions' }

interface Cut {
  readonly status: Exploded['status']
  readonly reason: string | undefined
  readonly lines: string[]
  readonly numbers: number[]
  readonly refused: string[]
}

function explode(record: string, explode: Explode = ACTIONS, mends = noMends()): Cut {
  const bytes = Buffer.from(`\n${record}\n`)
  const lines: string[] = []
  const numbers: number[] = []
  const refused: string[] = []
  const exploded = new Exploder(explode, mends).explode(bytes, 1, bytes.length - 1, {
    child(line, start, end, number) {
      lines.push(line.toString('utf8', start, end))
      numbers.push(number)
    },
    refused(line, start, end, number, { reason }) {
      refused.push(`${number} ${reason} ${line.toString('utf8', start, end)}`)
    },
  })
  const reason = 'reason' in exploded ? exploded.reason : undefined
  return { status: exploded.status, reason, lines, numbers, refused }
}

test('a child takes the place of the array, and every byte beside it stays', () => {
  const { lines, numbers, status } = explode(
    '{ "big" : 12345678901234567890, "actions" : [ {"a":1.0} , {"a":"\\u00e9"} ] ,"n":-0 }',
  )
  expect(status).toBe('children')
  expect(lines).toEqual([
    '{ "big" : 12345678901234567890, "actions" : {"a":1.0} ,"n":-0 ,"(child)":{"number":1}}',
    '{ "big" : 12345678901234567890, "actions" : {"a":"\\u00e9"} ,"n":-0 ,"(child)":{"number":2}}',
  ])
  expect(numbers).toEqual([1, 2])
})

test('a record of the array alone, its name in escapes', () => {
  expect(explode('{"act\\u0069ons":[{}]}').lines).toEqual(['{"act\\u0069ons":{},"(child)":{"number":1}}'])
})

test('of two arrays with one name the last counts, and the first leaves a name that is counted as repeated', () => {
  const { lines } = explode('{"actions":[{"a":1},{"a":2}],"b":1,"actions":[{"a":3}]}')
  expect(lines).toEqual(['{"actions":null,"b":1,"actions":{"a":3},"(child)":{"number":1}}'])
})

test('a record that has one of certain names is no parent, whatever its array is', () => {
  const unless: Explode = { member: 'actions', unless: ['name'] }
  for (const actions of ['[{"a":1}]', 'null', '"x"', '7'])
    expect(explode(`{"actions":${actions},"name":"E"}`, unless)).toMatchObject({ status: 'whole', lines: [] })
  expect(explode('{"actions":[{"name":"E"}]}', unless).lines).toHaveLength(1)
})

test('an array in text, as tables write it, on one line', () => {
  const { lines } = explode(JSON.stringify({ v: 1, actions: '[{"a":"x\\ty"},\r\n {\n"b":[1]}]' }))
  expect(lines).toEqual([
    '{"v":1,"actions":{"a":"x\\ty"},"(child)":{"number":1}}',
    '{"v":1,"actions":{ "b":[1]},"(child)":{"number":2}}',
  ])
})

test('a surrogate that decoding would lose is mended and counted', () => {
  const mends = noMends()
  const { lines } = explode('{"bad":"\\ud800","actions":"[{\\"a\\":1}]"}', ACTIONS, mends)
  expect(lines).toEqual(['{"bad":"\\ufffd","actions":{"a":1},"(child)":{"number":1}}'])
  expect(mends.lone_surrogate).toBe(1)
  // Nothing is made of this one, and nothing mended.
  explode('{"bad":"\\ud800","actions":""}', ACTIONS, mends)
  expect(mends.lone_surrogate).toBe(1)
})

test('what a preset tells a child of its siblings', () => {
  const told: Explode = {
    member: 'actions',
    siblings: (children) => (index) => ({ of: children.length, first: JSON.parse(children[0]!).t, index }),
  }
  const { lines } = explode('{"actions":[{"t":5},{"t":7}]}', told)
  expect(JSON.parse(lines[1]!)).toEqual({
    actions: { t: 7 },
    [CHILD]: { number: 2, of: 2, first: 5, index: 1 },
  })
})

describe('a line of a rejects file', () => {
  test('holds one child, and makes that one again, with its number', () => {
    const { lines } = explode('{"v":1,"actions":[{"a":1},{"a":2}]}')
    const again = explode(lines[1]!)
    expect(again).toMatchObject({ status: 'children', lines: [lines[1]], numbers: [2] })
  })

  test('holds a child that is no object, and it is none again', () => {
    const { lines, refused } = explode('{"v":1,"actions":[{"a":1},7,null]}')
    expect(lines).toHaveLength(1)
    expect(refused).toEqual([
      '2 child_not_an_object {"v":1,"actions":7,"(child)":{"number":2}}',
      '3 child_not_an_object {"v":1,"actions":null,"(child)":{"number":3}}',
    ])
    expect(explode(refused[0]!.slice('2 child_not_an_object '.length)).refused).toEqual([refused[0]])
  })
})

test.each([
  ['{"actions":[]}', 'no_children'],
  ['{"actions":[ ]}', 'no_children'],
  ['{"actions":null}', 'no_children'],
  ['{"actions":""}', 'no_children'],
  ['{"actions":"[]"}', 'no_children'],
])('%s has nothing to make events of', (record, reason) => {
  expect(explode(record)).toMatchObject({ status: 'filtered', reason, lines: [], refused: [] })
})

test.each([
  ['{"actions":{"a":1}}'],
  ['{"actions":{}}'],
  ['{"actions":5}'],
  ['{"actions":12}'],
  ['{"actions":true}'],
  ['{"actions":"text"}'],
  ['{"actions":"[{]"}'],
  ['{"actions":"[1],\\"b\\":2"}'],
])('%s is refused as a whole', (record) => {
  expect(explode(record)).toMatchObject({ status: 'rejected', reason: 'children_not_an_array', lines: [] })
})

test.each(['{"a":1}', '{"nested":{"actions":[1]}}', '{"actions":[', '[1]'])(
  '%s is left to the mapper',
  (record) => {
    expect(explode(record)).toMatchObject({ status: 'whole', lines: [], refused: [] })
  },
)

describe('limits', () => {
  test('100,000 children of one record', () => {
    const children = Array.from({ length: 100_000 }, (_, i) => `{"i":${i}}`)
    const { lines, numbers } = explode(`{"v":1,"actions":[${children.join(',')}]}`)
    expect(lines).toHaveLength(100_000)
    expect(numbers.at(-1)).toBe(100_000)
    expect(lines.at(-1)).toBe('{"v":1,"actions":{"i":99999},"(child)":{"number":100000}}')
  })

  test('more children than any event of the service could hold', () => {
    const { status, reason } = explode(`{"actions":[${'1,'.repeat(140_000)}1]}`)
    expect([status, reason]).toEqual(['rejected', 'too_many_children'])
  })

  test('a parent that each child would copy', () => {
    const text = 'x'.repeat(900_001)
    expect(explode(`{"text":"${text}","actions":[{}]}`).reason).toBe('parent_too_large')
    const some = explode(`{"text":"${text.slice(0, 800_000)}","actions":[${'1,'.repeat(2000)}1]}`)
    expect([some.status, some.reason]).toEqual(['rejected', 'too_many_children'])
  })
})

function cut(json: string, most = 1000): string[] | undefined {
  const bytes = Buffer.from(`xx${json}yy`)
  const spans = elementSpans(bytes, 2, bytes.length - 2, most)
  return spans?.flatMap((at, i) => (i % 2 === 0 ? [bytes.toString('utf8', at, spans[i + 1])] : []))
}

test.each([
  ['[]', []],
  ['[ \t]', []],
  ['[1.0]', ['1.0']],
  ['[1,-0 , 1E+5,true]', ['1', '-0', '1E+5', 'true']],
  ['[{"a":[1,2]},[],"]",{"b":"}\\"],"}]', ['{"a":[1,2]}', '[]', '"]"', '{"b":"}\\"],"}']],
  ['["é\\\\", "\\\\\\""]', ['"é\\\\"', '"\\\\\\""']],
])('%s', (json, expected) => {
  expect(cut(json)).toEqual(expected)
})

test('more elements than wanted are not cut', () => {
  expect(cut('[1,2,3]', 3)).toHaveLength(3)
  expect(cut('[1,2,3,4]', 3)).toBeUndefined()
})

test('any array is cut as JSON.parse reads it', () => {
  const blank = fc.constantFrom('', ' ', '\t')
  fc.assert(
    fc.property(fc.array(fc.json()), blank, blank, (values, before, after) => {
      const pieces = cut(`[${values.map((value) => before + value + after).join(',')}]`)!
      expect(pieces.map((piece) => JSON.parse(piece))).toEqual(values.map((value) => JSON.parse(value)))
      for (const piece of pieces) expect(piece).toBe(piece.trim())
    }),
    { seed: seedOf('elements') },
  )
})
