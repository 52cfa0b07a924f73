import { describe, expect, test } from 'vitest'
import { deepAsText, hasDeepArrays, hasLongInteger, mayBeDeep } from '../../src/record/stored-properties.ts'

const all = <Result>(judge: (bytes: Buffer, start: number, end: number) => Result, json: string) => {
  const bytes = Buffer.from(json)
  return judge(bytes, 0, bytes.length)
}
const arrays = (count: number, inner = '1') => '['.repeat(count) + inner + ']'.repeat(count)

describe('arrays over 8 deep', () => {
  test.each([
    [arrays(8), false],
    [arrays(9), true],
    [arrays(9, ''), true],
    [`{"a":${arrays(4, `{"b":${arrays(4)}}`)}}`, false],
    // Objects between them do not count.
    [`{"a":${arrays(4, `{"b":${arrays(5)}}`)}}`, true],
    [`{"a":"${'['.repeat(20)}","b":[1]}`, false],
    [`{"a":"\\"${'['.repeat(20)}"}`, false],
    [`[${Array(20).fill('[1]').join(',')}]`, false],
  ])('%s: %s', (json, deep) => {
    expect(all(hasDeepArrays, json)).toBe(deep)
    if (deep) expect(all(mayBeDeep, json)).toBe(true)
  })

  test('become their own text, byte for byte, and nothing else does', () => {
    const deep = arrays(9, '1.0,"é \\"x\\u00e9\\n",{"y": 12345678901234567890}')
    let count = 0
    const make = (json: string) => all((...span) => deepAsText(...span, () => count++)?.toString(), json)
    expect(make(`{"a":[[1]],"b":"]["}`)).toBeUndefined()
    const made = make(`{"a":1.0,"o":{"p":${deep},"q":[1.50]},"z":${deep}}`)
    expect(made).toBe(`{"a":1.0,"o":{"p":${JSON.stringify(deep)},"q":[1.50]},"z":${JSON.stringify(deep)}}`)
    expect(count).toBe(2)
  })
})

test.each([
  ['18446744073709551615', false],
  ['18446744073709551616', true],
  ['-9223372036854775808', false],
  ['-9223372036854775809', true],
  ['{"a":[1,"18446744073709551616"]}', false],
  ['{"a":[1,18446744073709551616,2]}', true],
  // No integers, as they are written.
  ['18446744073709551616.5', false],
  ['18446744073709551616e0', false],
  ['1e30', false],
  ['0.18446744073709551616', false],
])('an integer beyond 64 bits in %s: %s', (json, long) => expect(all(hasLongInteger, json)).toBe(long))
