import { expect, test } from 'vitest'
import { parseMapping } from '../../src/mapping/mapping-file.ts'
import { parseTests } from '../../src/mapping/mapping-tests.ts'
import type { TestOutcome } from '../../src/mapping-tests/run-test.ts'
import { testDifferences } from '../../src/mapping-tests/test-differences.ts'
import { type WrittenTest, withOutcomes, withTests } from '../../src/mapping-tests/test-text.ts'

const NO_END: TestOutcome = { events: [], rejected: [], messages: [], filtered: [], leftOut: [], link: null }

const testOf = (json: string, outcome: Partial<TestOutcome>, name = 'one'): WrittenTest => ({
  name,
  source: { kind: 'record', json },
  table: undefined,
  outcome: { ...NO_END, ...outcome },
})

/** Text that YAML would take for something else, or end a value at. */
const HOSTILE = [
  ...['', ' ', 'null', 'true', 'yes', '~', '1e3', '0x1F', '1_000', '12:30', '2024-03-01', '.5', '-', '---'],
  ...[
    'a: b',
    '# c',
    "it's",
    '"',
    '\\',
    '\t',
    'two\nlines',
    '\u2028',
    '\u0085',
    '\ufeff',
    '\u0000',
    '{',
    '[',
    '&a',
  ],
  ...['*a', '!t', '|', '>', '%', '@', '`', 'é', '😀', 'x'.repeat(500), ' trailing ', 'constructor', '<<'],
]

test('whatever a record and its event hold, the test that is written of them passes', () => {
  for (const text of HOSTILE) {
    for (const value of [text, [text], { [text]: { inner: text } }]) {
      const json = JSON.stringify({ event: text, properties: { [text || 'x']: value } })
      const line = `{"uuid":"u","event":${JSON.stringify(text)},"properties":${JSON.stringify({ value, [`k${text}`]: 1 })}}`
      const outcome = { ...NO_END, events: [line], leftOut: [`properties.${text}`] }
      const yaml = withTests('tests: []\n', [testOf(json, outcome)])
      const [read] = parseTests(yaml, 'm.test.yaml').tests
      expect(read?.source).toEqual({ kind: 'record', json })
      expect(testDifferences(read!.expected, outcome), yaml).toEqual([])
    }
  }
})

test('cells of a row come back to the letter, and a record over several lines as one', () => {
  const cells = Object.fromEntries(HOSTILE.map((text) => [text, text]))
  const row = { ...testOf('', { filtered: ['not_where'] }), source: { kind: 'row' as const, cells } }
  expect(parseTests(withTests('', [row]), 'm').tests[0]?.source).toEqual({ kind: 'row', cells })
  for (const word of ['its', "it's"]) {
    const json = `{\n  "event": "${word}",\n  "properties": { "a": [\n    1 ] }\n}`
    const { source } = parseTests(withTests('', [testOf(json, { rejected: ['x'] })]), 'm').tests[0]!
    expect(source.kind === 'record' && JSON.parse(source.json)).toEqual(JSON.parse(json))
  }
})

test('long whole numbers keep their digits, as do cells', () => {
  const line = '{"event":"a","properties":{"id":12345678901234567890,"price":1.50}}'
  const yaml = withTests('tests: []\n', [
    testOf('{"id":12345678901234567890,"price":1.50}', { events: [line] }),
  ])
  expect(yaml).toContain(`record: '{"id":12345678901234567890,"price":1.50}'`)
  expect(yaml).toContain('id: 12345678901234567890\n')
})

test('a name that would make the whole file unreadable is refused', () => {
  const cells = JSON.parse('{"__proto__":"x"}')
  const row = { ...testOf('', { filtered: ['x'] }), source: { kind: 'row' as const, cells } }
  expect(() => withTests('', [row])).toThrow("can't hold the name __proto__")
  const events = ['{"event":"a","properties":{"__proto__":1}}']
  expect(() => withTests('', [testOf('{}', { events })])).toThrow("can't hold the name __proto__")
  expect(() => updated('tests: [{ name: n, record: {}, events: [{ event: b }] }]', 0, { events })).toThrow(
    "can't hold the name __proto__",
  )
})

test('a brief test expects name, person and time alone, and the link', () => {
  const line =
    '{"uuid":"u","event":"a","distinct_id":"7","timestamp":"2024-03-01T10:00:00Z","properties":{"n":1}}'
  const link = { anonymous_id: 'd', user_id: 'u' } as TestOutcome['link']
  const { expected } = parseTests(
    withTests('', [{ ...testOf('{}', { events: [line], link }), brief: true }]),
    'm',
  ).tests[0]!
  expect(expected.includes).toEqual(['{"event":"a","distinct_id":"7","timestamp":"2024-03-01T10:00:00Z"}'])
  expect([expected.events, expected.link]).toEqual([undefined, { anonymous_id: 'd', user_id: 'u' }])
})

test('a test joins those that are there: comments stay, and no name is taken twice', () => {
  const before = `# ours
preset: mixpanel # the old one
tests:
  # what we bill by
  - name: one
    record: {} # empty
    rejected: bad_json
`
  const yaml = withTests(before, [testOf('{}', { rejected: ['event_missing'] })])
  expect(yaml.startsWith(before)).toBe(true)
  expect(parseMapping(yaml, 'm').tests.map(({ name }) => name)).toEqual(['one', 'one (2)'])
})

test('two tests of one name that are written at once get two names', () => {
  const { tests } = parseTests(withTests('', [testOf('{}', {}), testOf('{}', {})]), 'm')
  expect(tests.map(({ name }) => name)).toEqual(['one', 'one (2)'])
})

test('a mapping file in JSON stays JSON', () => {
  const before = '{\n  "preset": "mixpanel",\n  "tests": []\n}\n'
  for (const text of ['plain', "it's"]) {
    const json = JSON.stringify({ event: text })
    const after = withTests(before, [testOf(json, { events: [`{"event":${JSON.stringify(text)}}`] })])
    expect(JSON.parse(after).tests).toMatchObject([{ name: 'one', record: json, events: [{ event: text }] }])
  }
})

/** The text of tests after one of them, at `at`, was told what came out. */
function updated(yaml: string, at: number, outcome: Partial<TestOutcome>): string {
  const { expected } = parseTests(yaml, 'm').tests[at]!
  return withOutcomes(yaml, [{ at, expected, outcome: { ...NO_END, ...outcome } }])
}

const KEPT = `tests:
  - name: first
    record: {}
    rejected: bad_json # for now
  - name: second
    record: {}
    includes:
      - event: a # as the app sends it
        properties: { plan: pro, price: 1.50, token: null }
    left_out: [b]
`

test('what came out is written where it differs, and nowhere else', () => {
  const made = updated(KEPT, 1, {
    events: ['{"event":"a","properties":{"plan":"team","price":1.5,"other":1}}'],
    leftOut: ['b'],
  })
  expect(made).toBe(KEPT.replace('plan: pro', 'plan: team').replace('[b]', '[ b ]'))
})

test('a member that came out all the same takes the place of null; one that is gone goes', () => {
  const made = updated(KEPT, 1, { events: ['{"event":"a","properties":{"token":"t"}}'], leftOut: [] })
  expect(parseTests(made, 'm').tests[1]!.expected).toMatchObject({
    includes: ['{"event":"a","properties":{"token":"t"}}'],
    leftOut: [],
  })
})

test('another end takes the place of the one before', () => {
  const events = ['{"event":"a","properties":{"n":1}}']
  expect(parseTests(updated(KEPT, 0, { events }), 'm').tests[0]!.expected).toMatchObject({
    events,
    rejected: undefined,
  })
  const rejected = updated(KEPT, 1, { rejected: ['bad_json', 'bad_json'], leftOut: ['b'] })
  expect(parseTests(rejected, 'm').tests[1]!.expected).toMatchObject({
    includes: undefined,
    rejected: ['bad_json', 'bad_json'],
  })
})

test('a test that expects nothing yet gets all of it', () => {
  const outcome = { ...NO_END, events: ['{"event":"a"}'], leftOut: ['b'] }
  const made = updated('tests: [{ name: n, record: {} }]\n', 0, outcome)
  expect(parseTests(made, 'm').tests[0]!.expected).toMatchObject({
    events: ['{"event":"a"}'],
    leftOut: ['b'],
  })
})
