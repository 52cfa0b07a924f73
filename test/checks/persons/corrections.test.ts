import { describe, expect, test } from 'vitest'
import { type Decision, decide } from '../../../src/checks/persons/corrections.ts'
import {
  addWrites,
  decodeFacts,
  encodeFacts,
  mergedFacts,
  newFacts,
  type PersonFacts,
} from '../../../src/checks/persons/history.ts'
import type { LivePerson } from '../../../src/checks/persons/live.ts'
import { type PersonWriteValues, personWrites } from '../../../src/record/rules.ts'
import { seeded, seedOf } from '../../helpers/random.ts'

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

/** The service: what arrives last is set, what arrived first is kept. */
function arrive(person: Record<string, unknown>, events: readonly Event[]): void {
  for (const [, properties] of events) {
    const writes = personWrites('x', properties)
    if (!writes) continue
    for (const [name, value] of Object.entries(writes.setOnce)) if (!(name in person)) person[name] = value
    Object.assign(person, writes.set)
    for (const name of writes.unset) delete person[name]
  }
}

test('afterwards a person is as if all had come in order', () => {
  const seed = seedOf('persons in order')
  const random = seeded(seed)
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const events = (from: number, isLive: boolean): Event[] =>
    Array.from({ length: Math.floor(random() * 6) }, (_, n) => {
      const properties: Record<string, unknown> = {}
      for (const name of ['$browser', '$os', 'utm_source', '$current_url', '$os_name'])
        if (random() < 0.4) properties[name] = pick(['a', 'b', 'c', 1, null])
      if (random() < 0.3) properties.$set = { [pick(['plan', '$browser'])]: pick(['x', 'y', { z: [1] }]) }
      if (random() < 0.2) properties.$set_once = { $initial_plan: pick(['x', 'y']) }
      // That a live event takes a value away is what nobody knows afterwards.
      if (random() < 0.1 && !isLive) properties.$unset = ['plan']
      if (random() < 0.1) properties.$process_person_profile = false
      return [from + n, properties] as const
    })
  for (let round = 0; round < 1000; round++) {
    const [history, now] = [events(0, false), events(100, true)]
    const wanted: Record<string, unknown> = {}
    arrive(wanted, [...history, ...now])
    const person: Record<string, unknown> = {}
    arrive(person, now)
    const before: LivePerson[] = now.some(([, { $process_person_profile: p }]) => p !== false)
      ? [{ person: 'p', first: now[0]![0], last: now.at(-1)![0], properties: { ...person } }]
      : []
    arrive(person, history)
    // The events of a person are in several shares: its ids, and the runs of one id.
    const shares = [newFacts(), newFacts(), newFacts()]
    for (const [at, properties] of history) {
      const writes = personWrites('x', properties)
      if (writes) addWrites(pick(shares), writes, at)
    }
    const facts = mergedFacts(shares.map(encodeFacts))
    const told = JSON.stringify({ seed, round, history, now })
    if (before.length > 0) {
      const { set, setOnce } = decide(before, facts, person)
      arrive(person, [[0, { $set: set, $set_once: setOnce }]])
      expect(decide(before, facts, person), told).toEqual(NONE)
    }
    expect(person, told).toEqual(wanted)
  }
})
