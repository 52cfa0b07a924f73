import { expect, test } from 'vitest'
import { type PostgresType, postgresCell } from '../../../src/sources/postgres/postgres-cells.ts'

const plain = (name: string): PostgresType => ({
  name,
  kind: 'plain',
  of: '0',
  delimiter: ',',
  attributes: [],
})
const TYPES = new Map<string, PostgresType>([
  ...['text', 'int8', 'float8', 'numeric', 'bool', 'bytea', 'timestamptz', 'timestamp', 'json'].map(
    (name) => [name, plain(name)] as const,
  ),
  ...['text', 'numeric', 'pair'].map(
    (of) => [`${of}[]`, { ...plain(''), kind: 'array', of } as const] as const,
  ),
  ['box[]', { ...plain(''), kind: 'array', of: 'text', delimiter: ';' }],
  ['domain', { ...plain(''), kind: 'domain', of: 'numeric[]' }],
  [
    'pair',
    {
      ...plain(''),
      kind: 'composite',
      attributes: [
        ['a', 'int8'],
        ['b "c"', 'text[]'],
      ],
    },
  ],
])

function jsonOf(type: string, text: string) {
  const notFinite: string[] = []
  const call = { notFinite: (column: string) => void notFinite.push(column) }
  return [postgresCell(type, TYPES, { column: 'x', call })(text), notFinite.length]
}

test.each([
  ['int8', '-9223372036854775808', '-9223372036854775808'],
  ['numeric', '0.10000000000000000000000000000', '0.10000000000000000000000000000'],
  ['float8', '1e+22', '1e+22'],
  ['float8', '-0', '-0'],
  ['bool', 'f', 'false'],
  ['text', 'a"\\\n', String.raw`"a\"\\\n"`],
  ['of a user', '(1,2)', '"(1,2)"'],
  ['bytea', '\\x', '""'],
  ['bytea', '\\x00ff', '"AP8="'],
  ['json', '{\n"a": 1.10}', '{ "a": 1.10}'],
  ['timestamptz', '2024-06-01 08:22:03.1+00', '"2024-06-01T08:22:03.1Z"'],
  ['timestamptz', 'infinity', '"infinity"'],
  ['timestamptz', '0044-03-15 10:00:00+00 BC', '"0044-03-15 10:00:00+00 BC"'],
  ['timestamptz', '20240-01-01 00:00:00+00', '"20240-01-01 00:00:00+00"'],
  ['timestamp', '2024-06-01 08:22:03.1', '"2024-06-01 08:22:03.1"'],
  ['text[]', '{}', '[]'],
  [
    'text[]',
    String.raw`{NULL,"NULL","null","","a\"b","c\\d"," ","{,}"}`,
    String.raw`[null,"NULL","null","","a\"b","c\\d"," ","{,}"]`,
  ],
  ['text[]', '[0:1][-1:0]={{a,b},{NULL,d}}', '[["a","b"],[null,"d"]]'],
  ['box[]', '{(1,2),(3,4);(5,6),(7,8)}', '["(1,2),(3,4)","(5,6),(7,8)"]'],
  ['pair', '(,)', '{"a":null,"b \\"c\\"":null}'],
  ['pair', String.raw`(7,"{""x y"",NULL,""\\""q""}")`, String.raw`{"a":7,"b \"c\"":["x y",null,"\"q"]}`],
  [
    'pair[]',
    String.raw`{"(1,{})",NULL,"(,\"{a,b}\")"}`,
    String.raw`[{"a":1,"b \"c\"":[]},null,{"a":null,"b \"c\"":["a","b"]}]`,
  ],
])('%s: %s', (type, text, json) => {
  expect(jsonOf(type, text)).toEqual([json, 0])
})

test.each([
  ['float8', 'NaN', null, 1],
  ['numeric', '-Infinity', null, 1],
  ['domain', '{1.50,NaN,{Infinity}}', '[1.50,null,[null]]', 2],
])('%s has no number for %s', (type, text, json, count) => {
  expect(jsonOf(type, text)).toEqual([json, count])
})
