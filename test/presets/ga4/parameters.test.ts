import { expect, test } from 'vitest'
import { entriesOf as entriesIn, fingerprint } from '../../../src/presets/ga4.ts'
import { elements } from '../../../src/record/json-values.ts'

const entriesOf = (json = '[]') => entriesIn(elements(json))

test.each([
  ['string_value', '"x"', '"x"'],
  ['string_value', '"42"', '"42"'],
  ['int_value', '"42"', '42'],
  ['int_value', '9223372036854775807', '9223372036854775807'],
  ['int_value', '"-7"', '-7'],
  ['int_value', '"9007199254740991"', '9007199254740991'],
  ['int_value', '"9223372036854775807"', '"9223372036854775807"'],
  ['double_value', '"1e400"', '"1e400"'],
  ['double_value', '1.50', '1.50'],
  ['double_value', '"1.5E-7"', '1.5E-7'],
  ['double_value', '"NaN"', '"NaN"'],
  ['float_value', '"007"', '"007"'],
])('%s %s is %s', (kind, value, json) => {
  expect(entriesOf(`[{"key":"k","value":{"${kind}":${value}}}]`)).toEqual([
    { key: 'k', json, path: `k.${kind}`, others: [] },
  ])
})

test.each([
  ['nothing', undefined],
  ['null', 'null'],
  ['an empty list', '[]'],
  ['an object', '{"a":1}'],
  ['a value that is null', '[{"key":"k","value":null}]'],
  ['a value whose members are null', '[{"key":"k","value":{"string_value":null,"int_value":null}}]'],
  ['an entry without a key', '[{"value":{"int_value":1}}]'],
  ['a key that is no text', '[{"key":5,"value":{"int_value":1}}]'],
])('%s holds no entry', (_, json) => expect(entriesOf(json)).toEqual([]))

test.each([
  ['an element', '["{\\"key\\":\\"k\\",\\"value\\":{\\"int_value\\":\\"1\\"}}"]', 1],
  ['a value', '[{"key":"k","value":"{\\"int_value\\":\\"1\\"}"}]', 1],
  ['an element that is no JSON', '["{key: k}"]', 0],
  ['a value whose members are null', '[{"key":"k","value":"{\\"int_value\\":null}"}]', 0],
])('%s as text', (_, json, count) => {
  expect(entriesOf(json)).toMatchObject(count === 0 ? [] : [{ key: 'k', json: '1' }])
})

test('the fingerprint is the same for JSON and for Parquet, in any order', () => {
  const json = entriesOf(
    '[{"key":"b","value":{"string_value":"caf\\u00e9"}},{"key":"a","value":{"int_value":"1"}},{"key":"r","value":{"double_value":1.0E-5}}]',
  )
  const parquet = entriesOf(
    '[{"key":"r","value":{"string_value":null,"double_value":0.00001}},{"key":"a","value":{"int_value":1}},{"key":"b","value":{"string_value":"café"}}]',
  )
  expect(fingerprint(parquet)).toBe(fingerprint(json))
})

test.each([
  ['another value', '[{"key":"a","value":{"int_value":"2"}}]'],
  ['another key', '[{"key":"b","value":{"int_value":"1"}}]'],
  ['one more entry', '[{"key":"a","value":{"int_value":"1"}},{"key":"b","value":{"int_value":"1"}}]'],
])('the fingerprint tells %s', (_, other) => {
  const one = entriesOf('[{"key":"a","value":{"int_value":"1"}}]')
  expect(fingerprint(entriesOf(other))).not.toBe(fingerprint(one))
})

test('what an element holds beside its value is told by its path', () => {
  const json =
    '[{"key":"k","value":{"string_value":"x","int_value":7,"float_value":null,"set_timestamp_micros":"5"},"note":"n"}]'
  expect(entriesOf(json)).toEqual([
    {
      key: 'k',
      json: '"x"',
      path: 'k.string_value',
      others: [
        ['k.int_value', '7'],
        ['k.set_timestamp_micros', '"5"'],
        ['k.note', '"n"'],
      ],
    },
  ])
})
