import { expect, test } from 'vitest'
import type { ExpectedOutcome } from '../../src/mapping/mapping-tests.ts'
import type { TestOutcome } from '../../src/mapping-tests/run-test.ts'
import { nearestEvent, testDifferences } from '../../src/mapping-tests/test-differences.ts'

const NOTHING: ExpectedOutcome = {
  events: undefined,
  includes: undefined,
  rejected: undefined,
  filtered: undefined,
  leftOut: undefined,
  link: undefined,
}
const NO_END: TestOutcome = { events: [], rejected: [], messages: [], filtered: [], leftOut: [], link: null }

/** What differs, each as [member, expected, came out]. */
const differences = (expected: Partial<ExpectedOutcome>, outcome: Partial<TestOutcome>) =>
  testDifferences({ ...NOTHING, ...expected }, { ...NO_END, ...outcome }).map(
    ({ member, expected, came_out }) => [member, expected, came_out],
  )
const event = (properties: string, event = 'a') => `{"event":"${event}","properties":${properties}}`
/** The differences of one property, by what a test has of it and what came out. */
const ofValue = (wanted: string, made: string) =>
  differences({ includes: [event(`{"p":${wanted}}`)] }, { events: [event(`{"p":${made}}`)] })

test.each([
  ['1.50', '1.5'],
  ['1E+2', '100'],
  ['"\\u00e9"', '"é"'],
  ['{"a":1,"b":[2,3]}', '{ "b": [2, 3], "a": 1.0 }'],
])('%s is %s in another spelling', (wanted, made) => expect(ofValue(wanted, made)).toEqual([]))

test.each([
  ['12345678901234567890', '12345678901234567891'],
  ['"1"', '1'],
  ['null', '0'],
  ['false', '"false"'],
  ['[1,2]', '[2,1]'],
])('%s is not %s', (wanted, made) => expect(ofValue(wanted, made)).toEqual([['properties.p', wanted, made]]))

test('a nested member is not one with a dot in its name', () => {
  expect(
    differences({ includes: [event('{"user":{"id":1}}')] }, { events: [event('{"user.id":1}')] }),
  ).toEqual([['properties.user.id', '1', null]])
  expect(differences({ events: [event('{"user":{"id":1}}')] }, { events: [event('{"user.id":1}')] })).toEqual(
    [
      ['properties.user.id', '1', null],
      ['properties."user.id"', null, '1'],
    ],
  )
})

test('events says all of what came out; includes some, and null what may not be there', () => {
  const made = { events: [event('{"plan":"pro","secret":"x"}')] }
  expect(differences({ events: [event('{"plan":"pro"}')] }, made)).toEqual([
    ['properties.secret', null, '"x"'],
  ])
  expect(differences({ includes: [event('{"plan":"pro","token":null}')] }, made)).toEqual([])
  expect(differences({ includes: [event('{"secret":null}')] }, made)).toEqual([
    ['properties.secret', 'null', '"x"'],
  ])
})

test('a timestamp is a moment, however it is written; any other time is text', () => {
  const at = (name: string, time: string) => `{"event":"a","${name}":"${time}"}`
  const [noon, same] = ['2024-03-01T12:00:00+01:00', '2024-03-01T11:00:00.000000Z']
  expect(differences({ includes: [at('timestamp', noon)] }, { events: [at('timestamp', same)] })).toEqual([])
  expect(differences({ includes: [at('x', noon)] }, { events: [at('x', same)] })).toHaveLength(1)
  const odd = differences({ includes: [at('timestamp', 'noon')] }, { events: [at('timestamp', same)] })
  expect(odd).toEqual([['timestamp', '"noon"', `"${same}"`]])
})

test('each included event is held against the one that fits it best; one too many is said', () => {
  const [a, b] = [event('{"n":1}', 'open'), event('{"n":2}', 'close')]
  expect(nearestEvent('{"event":"close"}', [a, b])).toBe(b)
  expect(differences({ includes: ['{"event":"close"}', '{"event":"open"}'] }, { events: [a, b] })).toEqual([])
  expect(differences({ includes: ['{"event":"open"}', '{"event":"open"}'] }, { events: [a] })).toEqual([
    ['event 2: event', '"open"', null],
  ])
})

test('all events are held in their order, and one too many or too few is said', () => {
  const [a, b] = [event('{}', 'open'), event('{}', 'close')]
  expect(differences({ events: [a] }, { events: [a, b] })).toEqual([['event 2: event', null, '"close"']])
  expect(differences({ events: [a, b] }, { events: [a] })).toEqual([['event 2: event', '"close"', null]])
})

test('an event that did not come out says what became of the record', () => {
  expect(differences({ includes: ['{"event":"a"}'] }, { filtered: ['event_dropped'] })).toEqual([
    ['event', '"a"', 'filtered: event_dropped'],
  ])
  expect(differences({ events: [event('{}')] }, { rejected: ['bad_json'] })).toEqual([
    ['event', '"a"', null],
    ['rejected', null, 'bad_json'],
  ])
})

test('who expects an end of the record expects no event besides, nor another end', () => {
  const made = { events: [event('{}')] }
  expect(differences({ rejected: ['bad_json'] }, made)).toEqual([
    ['event', null, '"a"'],
    ['rejected', 'bad_json', null],
  ])
  expect(differences({ filtered: true }, { filtered: ['not_where'] })).toEqual([])
  expect(differences({ filtered: true }, made)).toContainEqual(['filtered', 'any reason', null])
  expect(differences({ filtered: ['after_to'] }, { filtered: ['not_where'] })).toEqual([
    ['filtered', 'after_to', 'not_where'],
  ])
})

test('what is left out is all of it, and a link is of these two ids', () => {
  expect(differences({ leftOut: ['a', 'b'] }, { leftOut: ['b', 'c'] })).toEqual([
    ['a', 'left out', 'not left out'],
    ['c', 'not left out', 'left out'],
  ])
  const link = { anonymous_id: 'd1', user_id: 'u1' }
  expect(differences({ link }, { link: { anonymous_id: 'd1', user_id: 'u1' } })).toEqual([])
  expect(differences({ link }, { link: { anonymous_id: 'd1', user_id: 'u2' } })).toEqual([
    ['link.user_id', 'u1', 'u2'],
  ])
  expect(differences({ link }, {})).toHaveLength(2)
})

test('a test that expects nothing fails, and says what there is to expect', () => {
  expect(differences({}, { events: [event('{}')] })).toEqual([['becomes', 'nothing is expected', '"a"']])
})
