import { describe, expect, test } from 'vitest'
import {
  deepAsText,
  hasDeepArrays,
  MOST_ARRAYS,
  MOST_NESTED,
  mayBeDeep,
  STORED,
  type StoredFate,
  storedFate,
} from '../../src/record/stored-properties.ts'
import { clean } from '../../src/sandbox/pipeline/clean.ts'

/** What the sandbox, which has a list of its own, makes of a property: the names it has then, now and in the end. */
function cleaned(name: string, value: unknown) {
  const { properties, lasting = properties } = clean({ [name]: value })
  return { now: properties[name], later: lasting[name] }
}

const NAMES = Object.entries(STORED).flatMap(([fate, { names, prefixes }]) =>
  [...names, ...prefixes.map((prefix) => `${prefix}x`)].map((name) => [name, fate as StoredFate] as const),
)

describe('what becomes of a property', () => {
  test.each(NAMES)('%s: %s, and the sandbox does it', (name, fate) => {
    expect(storedFate(name)).toBe(fate)
    const made = {
      temporary: [
        { now: 7, later: undefined },
        { now: 'a', later: undefined },
      ],
      dropped: [
        { now: undefined, later: undefined },
        { now: undefined, later: undefined },
      ],
      flag: [
        { now: '7', later: '7' },
        { now: 'a', later: 'a' },
      ],
      text: [
        { now: '7', later: '7' },
        { now: 'a', later: 'a' },
      ],
      list: [
        { now: ['7'], later: ['7'] },
        { now: ['a'], later: ['a'] },
      ],
      objects: [
        { now: undefined, later: undefined },
        { now: undefined, later: undefined },
      ],
    }[fate]
    // $active_feature_flags comes back as the names of the flags, of which this event has none.
    expect([cleaned(name, 7), cleaned(name, 'a')]).toEqual(made)
    if (fate === 'list') expect(cleaned(name, [7, 'a']).now).toEqual(['7', 'a'])
  })

  test('no name is in two rows', () => {
    expect(new Set(NAMES.map(([name]) => name)).size).toBe(NAMES.length)
  })

  test('the sandbox knows no name that the table lacks', async () => {
    const { readFile } = await import('node:fs/promises')
    const text = await readFile(new URL('../../src/sandbox/pipeline/clean.ts', import.meta.url), 'utf8')
    const sets = [...text.matchAll(/new Set\(\s*`([^`]+)`/g)].flatMap(([, names]) =>
      names!.trim().split(/\s+/),
    )
    expect(sets.length).toBeGreaterThan(50)
    expect(sets.filter((name) => storedFate(name) === undefined)).toEqual([])
  })

  test('other names stay', () => {
    for (const name of ['plan', '$current_url', '$feature_flag', 'set']) {
      expect(storedFate(name)).toBeUndefined()
      expect(cleaned(name, 7)).toEqual({ now: 7, later: 7 })
    }
  })

  test('arrays and nesting are as deep as the sandbox takes them', () => {
    const nested = (count: number, wrap: (value: unknown) => unknown) => {
      let value: unknown = 1
      for (let i = 0; i < count; i++) value = wrap(value)
      return Object.keys(clean({ a: value }).properties)
    }
    expect(nested(MOST_ARRAYS, (value) => [value])).toEqual(['a'])
    expect(nested(MOST_ARRAYS + 1, (value) => [value])).toEqual(['$unparseable_properties'])
    expect(nested(MOST_NESTED - 1, (value) => ({ value }))).toEqual(['a'])
    expect(nested(MOST_NESTED, (value) => ({ value }))).toEqual(['$unparseable_properties'])
  })
})

test('the page for users has the table', async () => {
  const { readFile } = await import('node:fs/promises')
  const page = await readFile(new URL('../../docs/storage.md', import.meta.url), 'utf8')
  for (const { names, prefixes, becomes } of Object.values(STORED)) {
    const all = [...names, ...prefixes.map((prefix) => `${prefix}…`)].map((name) => `\`${name}\``)
    expect(page).toContain(`| ${all.join(', ')} | ${becomes} |\n`)
  }
  expect(page).toContain(`arrays nested more than ${MOST_ARRAYS} deep`)
  expect(page).toContain(`any nesting over ${MOST_NESTED}`)
})

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
