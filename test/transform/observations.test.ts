import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteWriter } from '../../src/record/byte-writer.ts'
import { groupSender } from '../../src/record/rules.ts'
import { Resolver } from '../../src/transform/generate.ts'
import { eachSeen, eachSeenLine, type Observation, Observations } from '../../src/transform/observations.ts'
import { KINDS } from '../../src/transform/run/frame.ts'
import { testFolder } from '../helpers/folder.ts'
import { idOf } from '../helpers/ids.ts'
import { seedOf } from '../helpers/random.ts'
import { GENERATE, seenFile } from './seen-file.ts'

const seed = seedOf('ledger')
interface Link {
  readonly anonymous: string
  readonly user: string
  readonly instant: number
}

interface State {
  readonly type: string
  readonly key: string
  readonly json: string
  readonly instant: number
}

/** What observations note of records that come to them in this order, one observations for each share of the records. */
function noted<T>(
  records: readonly T[],
  shares: number,
  note: (observations: Observations, one: T, seq: number) => void,
): Observation[] {
  const seen: Observation[] = []
  const size = Math.ceil(records.length / shares)
  for (let from = 0; from < records.length; from += size) {
    const observations = new Observations((found) => seen.push(...found))
    for (const [i, one] of records.slice(from, from + size).entries()) note(observations, one, from + i)
    observations.flush()
  }
  return seen
}

function generated(seen: readonly Observation[], options = GENERATE) {
  const writer = new ByteWriter()
  const events: Array<{ instant: number; seq: number; kind: number; line: string }> = []
  let start = 0
  const resolver = new Resolver()
  for (const one of seen) resolver.see(one)
  resolver.write(options, writer, ({ instant, seq }, kind) => {
    events.push({ instant, seq, kind, line: writer.bytes.toString('utf8', start, writer.length) })
    start = writer.length
  })
  return events.sort((a, b) => a.instant - b.instant || a.seq - b.seq || a.kind - b.kind)
}

const linkAll = (links: readonly Link[], shares = 1) =>
  noted(links, shares, (observations, { anonymous, user, instant }, seq) =>
    observations.link({ anonymous: idOf(anonymous), user: idOf(user) }, instant, seq),
  )
const groupAll = (states: readonly State[], shares = 1) =>
  noted(states, shares, (observations, state, seq) => observations.group(state, state.instant, seq))

describe('links', () => {
  test('an anonymous id goes to its earliest user, in any order of arrival and any number of shares', () => {
    const link = fc.record({
      anonymous: fc.constantFrom('a1', 'a2', 'a3', '__proto__'),
      user: fc.constantFrom('u1', 'u2', 'u3'),
      instant: fc.integer({ min: 1, max: 1e6 }),
    })
    // No two at one instant: there the order of arrival decides.
    const links = fc.uniqueArray(link, { selector: ({ instant }) => instant, maxLength: 30 })
    const shuffle = fc.array(fc.nat(), { minLength: 30, maxLength: 30 })
    fc.assert(
      fc.property(links, shuffle, fc.integer({ min: 1, max: 5 }), (all, dice, shares) => {
        const expected = new Map<string, string>()
        for (const { anonymous, user, instant } of [...all].sort((a, b) => a.instant - b.instant)) {
          if (!expected.has(anonymous)) expected.set(anonymous, `${user} ${instant}`)
        }
        const arrived = all
          .map((one, i) => ({ one, dice: dice[i]! }))
          .sort((a, b) => a.dice - b.dice)
          .map(({ one }) => one)
        for (const order of [all, arrived]) {
          const events = generated(linkAll(order, shares))
          const found = events.map(({ line, instant }) => {
            const { distinct_id, properties } = JSON.parse(line)
            return [properties.$anon_distinct_id, `${distinct_id} ${instant}`]
          })
          expect(new Map(found as [string, string][])).toEqual(expected)
          expect(found).toHaveLength(expected.size)
        }
      }),
      { seed, numRuns: 300 },
    )
  })

  test('of one instant the first in the input counts', () => {
    const links = ['u1', 'u2'].map((user) => ({ anonymous: 'a', user, instant: 5 }))
    const lines = generated(linkAll(links, 2)).map(({ line }) => JSON.parse(line).distinct_id)
    expect(lines).toEqual(['u1'])
  })

  test('become an $identify that is a function of the two ids', () => {
    const [event] = generated(linkAll([{ anonymous: 'a"1', user: 'u1', instant: 1_709_296_496_789_123 }]))
    expect(event).toMatchObject({ instant: 1_709_296_496_789_123, seq: 0, kind: KINDS.identify })
    expect(JSON.parse(event!.line)).toEqual({
      // The very uuid: another rule for it would make a second link of each in a project that has the first.
      uuid: '5233df4e-2c80-5c75-90ea-928d2f505ac7',
      timestamp: '2024-03-01T12:34:56.789123Z',
      event: '$identify',
      distinct_id: 'u1',
      properties: {
        distinct_id: 'u1',
        $anon_distinct_id: 'a"1',
        $geoip_disable: true,
        $lib: 'posthaul',
        $lib_version: '9.9.9',
        analytics_source: 'plain',
      },
    })
    const uuid = (anonymous: string, user: string, instant: number) =>
      JSON.parse(generated(linkAll([{ anonymous, user, instant }]))[0]!.line).uuid
    expect(uuid('a', 'u', 1)).toBe(uuid('a', 'u', 2_000_000_000_000_000))
    expect(uuid('a', 'u', 1)).not.toBe(uuid('a', 'v', 1))
    expect(uuid('a', 'u', 1)).not.toBe(uuid('b', 'u', 1))
  })

  test('are written out when there are many, and none is lost', () => {
    let [most, total] = [0, 0]
    const user = idOf('u')
    const observations = new Observations((found) => {
      most = Math.max(most, found.length)
      total += found.length
    })
    for (let i = 0; i < 250_000; i++) observations.link({ anonymous: idOf(`a${i}`), user }, i, i)
    observations.flush()
    expect(total).toBe(250_000)
    expect(most).toBeLessThanOrEqual(50_000)
  })
})

describe('groups', () => {
  const state = (json: string, instant: number, key = 'acme'): State => ({
    type: 'company',
    key,
    json,
    instant,
  })
  const changes = (states: readonly State[], shares = 1) =>
    generated(groupAll(states, shares)).map(({ line, instant }) => {
      const { properties } = JSON.parse(line)
      return `${properties.$group_key} ${instant} ${JSON.stringify(properties.$group_set)}`
    })

  test('the changes of records in time order are the same in any number of shares', () => {
    const states = fc
      .array(fc.tuple(fc.constantFrom('{"a":1}', '{"a":2}', '{}'), fc.constantFrom('acme', 'initech')), {
        maxLength: 30,
      })
      .map((all) => all.map(([json, key], i) => state(json, i + 1, key)))
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 6 }), (all, shares) => {
        const expected: string[] = []
        const last = new Map<string, string>()
        for (const { key, json, instant } of all) {
          const before = last.get(key)
          if (json === before || (json === '{}' && before !== undefined)) continue
          last.set(key, json)
          expected.push(`${key} ${instant} ${json}`)
        }
        expect(changes(all, shares)).toEqual(expected)
      }),
      { seed, numRuns: 300 },
    )
  })

  test('in any order of arrival, a group ends up as its latest record says', () => {
    const states = fc.uniqueArray(
      fc.record({
        json: fc.constantFrom('{"a":1}', '{"a":2}', '{"a":3}'),
        instant: fc.integer({ min: 1, max: 99 }),
      }),
      { selector: ({ instant }) => instant, minLength: 1, maxLength: 12 },
    )
    fc.assert(
      fc.property(states, fc.integer({ min: 1, max: 4 }), (all, shares) => {
        const sorted = [...all].sort((a, b) => a.instant - b.instant)
        const found = changes(
          all.map(({ json, instant }) => state(json, instant)),
          shares,
        )
        expect(found[0]).toBe(`acme ${sorted[0]!.instant} ${sorted[0]!.json}`)
        expect(found.at(-1)!.endsWith(sorted.at(-1)!.json)).toBe(true)
        // No event that repeats the one before it.
        const sets = found.map((one) => one.split(' ')[2])
        expect(sets.every((set, i) => set !== sets[i - 1])).toBe(true)
      }),
      { seed, numRuns: 500 },
    )
  })

  test('with much to say are written out before they fill the memory', () => {
    let [held, most, total] = [0, 0, 0]
    const observations = new Observations((found) => {
      held = 0
      total += found.length
    })
    const json = (n: number) => `{"n":${n},"text":"${'x'.repeat(100_000)}"}`
    for (let n = 0; n < 1000; n++) {
      held += 100_000
      observations.group({ type: 'company', key: `c${n}`, json: json(n) }, n, n)
      most = Math.max(most, held)
    }
    observations.flush()
    expect(total).toBe(1000)
    expect(most).toBeLessThan(20_000_000)
  })

  test('go out under an id of their own', () => {
    const [event] = generated(groupAll([state('{"b":1.0}', 5)]))
    expect(event).toMatchObject({ instant: 5, kind: KINDS.group })
    expect(event!.line).toContain('"$group_set":{"b":1.0}')
    expect(JSON.parse(event!.line)).toMatchObject({
      event: '$groupidentify',
      distinct_id: '$company_acme',
      properties: { $group_type: 'company', $group_key: 'acme', $geoip_disable: true },
    })
    expect(groupSender('company', `${'x'.repeat(300)}`)).toHaveLength(200)
    expect([...groupSender('company', '😀'.repeat(300))]).toHaveLength(200)
  })
})

test('what the mapping file sets is on generated events too, but changes nothing that they say themselves', () => {
  const set = { analytics_source: '"old shop"', $anon_distinct_id: '"x"', $group_key: '"x"' }
  const seen: Observation[] = [
    { kind: 'link', anonymous: 'a', user: 'u', instant: 1, seq: 0 },
    { kind: 'group', type: 'company', key: 'acme', json: '{}', instant: 2, seq: 1 },
  ]
  const [link, group] = generated(seen, { ...GENERATE, set }).map(
    ({ line }) => JSON.parse(line).properties as Record<string, unknown>,
  )
  expect(link).toMatchObject({ analytics_source: 'old shop', $anon_distinct_id: 'a', $lib: 'posthaul' })
  expect(group).toMatchObject({ analytics_source: 'old shop', $group_key: 'acme' })
})

test('observations that changed are an error to run again, wherever they changed, and no bug', () => {
  const folder = testFolder()
  const seen: Observation[] = ['a', 'b'].map((user, seq) => {
    return { kind: 'link', anonymous: `visitor ${seq}`, user, instant: seq, seq }
  })
  const written = seenFile(folder, 'unit.seen', seen)
  const read = () => {
    const found: Observation[] = []
    eachSeenLine(folder, written, (bytes, start, end) => {
      eachSeen(Buffer.from(`${bytes.toString('utf8', start, end)}\n`), (one) => found.push(one))
    })
    return found
  }
  expect(read()).toEqual(seen)
  const path = join(folder, 'unit.seen')
  const whole = readFileSync(path)
  for (let at = 0; at < whole.length; at++) {
    const bent = Buffer.from(whole)
    bent[at]! ^= 1 << (at % 8)
    for (const bytes of [whole.subarray(0, at), bent]) {
      writeFileSync(path, bytes)
      expect(read, bytes.toString()).toThrow(expect.objectContaining({ code: 'unavailable' }))
    }
  }
})
