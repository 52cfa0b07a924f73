import type { ExpectedOutcome } from '../mapping/mapping-tests.ts'
import { quotedSegment } from '../mapping/member-path.ts'
import { elements, members } from '../record/json-values.ts'
import { parseTime } from '../record/time.ts'
import type { TestResult } from './result.ts'
import type { TestOutcome } from './run-test.ts'

/** A member that is not as a test expects it. Values are JSON or words; null where there is none. */
type TestDifference = TestResult['tests'][number]['differences'][number]

/** What is not as expected; empty for a test that passes. */
export function testDifferences(expected: ExpectedOutcome, outcome: TestOutcome): TestDifference[] {
  const { events, includes, rejected, filtered, leftOut, link } = expected
  if ([events, includes, rejected, filtered, leftOut, link].every((one) => one === undefined))
    return [{ member: 'becomes', expected: 'nothing is expected', came_out: endWords(outcome) }]
  // Who says what it becomes says all of it; who says what an event includes, or what is left out, does not.
  const isWhole = !includes && [events, rejected, filtered].some((one) => one !== undefined)
  const asked = <T>(part: T | undefined, none: T) => part ?? (isWhole ? none : undefined)
  const [whole, refused, left] = [asked(events, []), asked(rejected, []), asked(filtered, [])]
  return [
    ...(includes ? includedDifferences(includes, outcome) : []),
    ...(whole ? eventDifferences(whole, outcome.events) : []),
    ...(refused ? reasonDifferences('rejected', refused, outcome.rejected) : []),
    ...(left ? reasonDifferences('filtered', left, outcome.filtered) : []),
    ...(leftOut ? leftOutDifferences(leftOut, outcome.leftOut) : []),
    ...(link ? linkDifferences(link, outcome.link) : []),
  ]
}

/** What became of a record, where a test doesn't say what it expects, or gets no event. */
function endWords({ events, rejected, filtered }: TestOutcome): string {
  return [
    ...events.map(nameOf),
    ...rejected.map((reason) => `rejected: ${reason}`),
    ...filtered.map((reason) => `filtered: ${reason}`),
  ].join(', ')
}

function eventDifferences(expected: readonly string[], got: readonly string[]): TestDifference[] {
  const most = Math.max(expected.length, got.length)
  return Array.from({ length: most }, (_, at) => {
    const prefix = most > 1 ? `event ${at + 1}: ` : ''
    const [wanted, made] = [expected[at], got[at]]
    if (wanted === undefined) return [{ member: `${prefix}event`, expected: null, came_out: nameOf(made!) }]
    if (made === undefined) return [{ member: `${prefix}event`, expected: nameOf(wanted), came_out: null }]
    return memberDifferences(wanted, made, false).map((one) => ({ ...one, member: prefix + one.member }))
  }).flat()
}

/** Each is held against the event that fits it best. */
function includedDifferences(expected: readonly string[], outcome: TestOutcome): TestDifference[] {
  return expected.flatMap((wanted, at) => {
    const prefix = expected.length > 1 ? `event ${at + 1}: ` : ''
    const nearest = nearestEvent(wanted, outcome.events)
    // Two that are expected can fit one event best: there must be as many.
    if (nearest === undefined || at >= outcome.events.length) {
      const came_out = nearest === undefined ? endWords(outcome) : null
      return [{ member: `${prefix}event`, expected: nameOf(wanted), came_out }]
    }
    return memberDifferences(wanted, nearest, true).map((one) => ({ ...one, member: prefix + one.member }))
  })
}

/** Of several events the one with the fewest differences to an expected part of one. */
export function nearestEvent(part: string, events: readonly string[]): string | undefined {
  const [best] = events
    .map((event) => ({ event, by: memberDifferences(part, event, true).length }))
    .sort((a, b) => a.by - b.by)
  return best?.event
}

/** `within`: only what is expected is looked at, and null there is what may not be in the event. */
function memberDifferences(expected: string, got: string, within: boolean): TestDifference[] {
  const [wanted, made] = [leaves(expected), leaves(got)]
  const names = within ? [...wanted.keys()] : [...new Set([...wanted.keys(), ...made.keys()])]
  return names.flatMap((member) => {
    const [value, own] = [wanted.get(member), made.get(member)]
    const isSame =
      value === undefined || own === undefined ? within && value === 'null' : isSameValue(member, value, own)
    return isSame ? [] : [{ member, expected: value ?? null, came_out: own ?? null }]
  })
}

/** The values of an event by their paths: objects are opened, lists are values. */
export function leaves(json: string, path = ''): Map<string, string> {
  const inner = members(json)
  if (inner.length === 0 && path !== '') return new Map([[path, json]])
  const below = (name: string) => (path === '' ? '' : `${path}.`) + quotedSegment(name)
  return new Map(inner.flatMap(([name, value]) => [...leaves(value, below(name))]))
}

function isSameValue(member: string, a: string, b: string): boolean {
  if (isSameJson(a, b)) return true
  if (member !== 'timestamp') return false
  try {
    return parseTime(JSON.parse(a) as string) === parseTime(JSON.parse(b) as string)
  } catch {
    return false
  }
}

/** True for one value, however it is written. */
export function isSameJson(a: string, b: string): boolean {
  return a === b || spelled(a) === spelled(b)
}

/** A value in one spelling: 1.0 is 1, "\u00e9" is "é". Long whole numbers keep their digits. */
function spelled(json: string): string {
  const first = json.trimStart()[0] ?? ''
  if (first === '[') return `[${elements(json).map(spelled).join(',')}]`
  if (first === '{') {
    const all = members(json).map(([name, value]) => `${JSON.stringify(name)}:${spelled(value)}`)
    return `{${all.sort().join(',')}}`
  }
  if (/^-?\d+$/.test(json)) return String(BigInt(json))
  return JSON.stringify(JSON.parse(json))
}

function nameOf(event: string): string {
  return members(event).find(([name]) => name === 'event')?.[1] ?? 'an event'
}

function reasonDifferences(
  member: 'rejected' | 'filtered',
  expected: true | readonly string[],
  got: readonly string[],
): TestDifference[] {
  if (expected === true) return got.length > 0 ? [] : [{ member, expected: 'any reason', came_out: null }]
  const [wanted, ends] = [expected.join(', '), got.join(', ')]
  return wanted === ends ? [] : [{ member, expected: wanted || null, came_out: ends || null }]
}

function leftOutDifferences(expected: readonly string[], got: readonly string[]): TestDifference[] {
  const [LEFT, NOT] = ['left out', 'not left out']
  return [
    ...expected.filter((path) => !got.includes(path)).map((path) => [path, LEFT, NOT] as const),
    ...got.filter((path) => !expected.includes(path)).map((path) => [path, NOT, LEFT] as const),
  ].map(([member, expected, came_out]) => ({ member, expected, came_out }))
}

function linkDifferences(
  expected: NonNullable<ExpectedOutcome['link']>,
  got: TestOutcome['link'],
): TestDifference[] {
  return (['anonymous_id', 'user_id'] as const).flatMap((id) => {
    const came_out = got?.[id] ?? null
    return expected[id] === came_out ? [] : [{ member: `link.${id}`, expected: expected[id], came_out }]
  })
}
