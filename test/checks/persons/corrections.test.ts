import { describe, expect, test } from 'vitest'
import { type Decision, decide } from '../../../src/checks/persons/corrections.ts'
import {
  addWrites,
  decodeFacts,
  encodeFacts,
  newFacts,
  type PersonFacts,
} from '../../../src/checks/persons/history.ts'
import type { LivePerson } from '../../../src/checks/persons/live.ts'
import { type PersonWriteValues, personWrites } from '../../../src/record/rules.ts'

const NONE = { set: {}, setOnce: {}, newer: [] }

/** An event as far as it concerns its person: when, and its properties. */
type Event = readonly [at: number, properties: PersonWriteValues]

function factsOf(...events: readonly Event[]): PersonFacts {
  const facts = newFacts()
  for (const [at, properties] of events) addWrites(facts, personWrites('x', properties)!, at)
  return facts
}

function live(
  properties: PersonWriteValues,
  first: number | null = 100,
  last: number | null = 200,
): LivePerson {
  return { person: 'p', first, last, properties }
}

describe('what is put right on a person', () => {
  const old = factsOf([1, { $browser: 'IE', utm_source: 'radio' }], [2, { $browser: 'Opera' }])
  const opera = { $browser: 'Opera', $initial_browser: 'IE' }
  const after = { ...opera, $initial_utm_source: 'radio' }
  const firefox = [live({ $browser: 'Firefox', $initial_browser: 'Firefox' })]
  const pro = [live({ plan: 'pro' })]
  const free: Event = [1, { $set: { plan: 'free' } }]
  const odd = JSON.parse('{"tags":[2],"age":"5","__proto__":"y"}')
  type Row = [string, LivePerson[], PersonFacts, PersonWriteValues, Partial<Decision>]
  test.each<Row>([
    [
      'the live browser and the first touch of the history',
      firefox,
      old,
      { ...after, $initial_browser: 'Firefox', utm_source: 'radio' },
      { set: { $browser: 'Firefox', $initial_browser: 'IE' } },
    ],
    ['nothing, once it is right', firefox, old, { ...after, $browser: 'Firefox', utm_source: 'radio' }, {}],
    [
      'nothing where a live event came since',
      [live({ $browser: 'Firefox' })],
      old,
      { ...after, $browser: 'Safari' },
      { newer: ['$browser'] },
    ],
    [
      'nothing that the history wrote after the last live event',
      [live({ $browser: 'Lynx', $initial_browser: 'Lynx' }, -20, -10)],
      old,
      { ...after, $initial_browser: 'Lynx' },
      {},
    ],
    [
      'the first touch of a live event that is older than the history',
      [live({ $initial_browser: 'Lynx' }, -20, 200)],
      old,
      after,
      { set: { $initial_browser: 'Lynx' } },
    ],
    [
      'a value that the history took away',
      pro,
      factsOf(free, [2, { $unset: ['plan'] }]),
      {},
      { setOnce: { plan: 'pro' } },
    ],
    ['nothing that a live event took away', pro, factsOf(free), {}, { newer: ['plan'] }],
    ['a first touch that is missing', [live({})], old, opera, { setOnce: { $initial_utm_source: 'radio' } }],
    [
      'the value of the person that was seen last, of two that are one now',
      [live({ $browser: 'Firefox' }, 100, 150), live({ $browser: 'Edge' }, 100, 300)],
      old,
      after,
      { set: { $browser: 'Edge' } },
    ],
    [
      'values of any type, with their type',
      [live({ tags: [1, { a: null }], age: 5, ['__proto__']: 'x' })],
      factsOf([1, { $set: odd }]),
      odd,
      { set: JSON.parse('{"tags":[1,{"a":null}],"age":5,"__proto__":"x"}') },
    ],
    [
      'nothing where the order of members or a NUL is all that differs',
      [live({ a: { x: 1, y: 2 }, b: 'a\ufffd' })],
      factsOf([1, { $set: { a: 1, b: 'a\0' } }]),
      { a: { y: 2, x: 1 }, b: 'a\ufffd' },
      {},
    ],
    [
      'nothing of what live events have alone',
      [live({ theme: 'dark' })],
      factsOf([1, {}]),
      { theme: 'light' },
      {},
    ],
    [
      'the live value, of a person whose events are gone',
      [live({ $browser: 'Firefox' }, null, null)],
      old,
      after,
      { set: { $browser: 'Firefox' } },
    ],
  ])('%s', (_, before, facts, after, wanted) => {
    expect(decide(before, decodeFacts(encodeFacts(facts)), after)).toEqual({ ...NONE, ...wanted })
  })
})
