import { expect, test } from 'vitest'
import { PersonSizes } from '../../src/checks/person-sizes.ts'
import { NO_PLACES, StorageSeen } from '../../src/checks/storage-seen.ts'
import { readHead } from '../../src/record/head.ts'
import { seeded } from '../helpers/random.ts'

const LIMIT = 512 * 1024

let made = 0
function lineOf(id: string, properties: object, event = 'seen'): Buffer {
  const uuid = `00000000-0000-4000-8000-${String(made++).padStart(12, '0')}`
  return Buffer.from(
    `{"uuid":"${uuid}","timestamp":"2024-03-01T00:00:00.000000Z","event":"${event}",` +
      `"distinct_id":"${id}","properties":${JSON.stringify({ distinct_id: id, ...properties })}}`,
  )
}

const times = (count: number, properties: (n: number) => object, id = 'u1') =>
  Array.from({ length: count }, (_, n) => lineOf(id, properties(n)))

/** What check does: it looks once, and once more where a person may be too large. */
function seen(lines: readonly Buffer[]) {
  const storage = new StorageSeen()
  const headOf = (line: Buffer) => readHead(line, 0, line.length)!
  for (const line of lines) storage.look(line, headOf(line), false)
  const isSuspect = storage.needsAnotherLook
  if (isSuspect) for (const line of lines) storage.lookAgain(line, headOf(line))
  return { isSuspect, total: storage.total.kinds.large_person_properties ?? NO_PLACES }
}

const small = 'x'.repeat(90)
const third = 'y'.repeat(LIMIT / 3)

test.each([
  ['a property more with each event', times(7000, (n) => ({ $set: { [`seen_${n}`]: small } }))],
  ['properties that are set once', times(7000, (n) => ({ $set_once: { [`first_${n}`]: small } }))],
  ['few large ones', times(4, (n) => ({ $set: { [`blob_${n}`]: third } }))],
  ['one value that grows', times(30, (n) => ({ $set: { history: 'z'.repeat(n * 20_000) } }))],
  ['one event', [lineOf('u1', { $set: { a: third, b: third, c: third, d: third } })]],
  [
    'events among those of many others',
    Array.from({ length: 7000 }, (_, n) => [
      lineOf('u1', { $set: { [`seen_${n}`]: small } }),
      ...times(3, () => ({ $set: { plan: 'pro' }, page: small }), `other-${n % 2000}`),
    ]).flat(),
  ],
])('a person who grows over the limit by %s is found', (_, lines) => {
  const { total } = seen(lines)
  expect(total.count).toBe(1)
  expect(total.example).toMatch(/^[0-9a-f-]{36}: distinct_id "u1", [5-9]\d{5} bytes, /)
})

test.each([
  ['replaces a value with each event', times(9000, (n) => ({ $set: { last: `${n}${small}` } }))],
  ['sets the same with each event', times(9000, () => ({ $set: { a: small, b: small, c: 7 } }))],
  ['is one of many', times(9000, () => ({})).map((_, n) => lineOf(`u${n}`, { $set: { [`p${n}`]: small } }))],
  ['has large events that set little', times(900, () => ({ $set: { a: 1 }, page: 'p'.repeat(3000) }))],
])('a person who %s costs no second reading', (_, lines) => {
  expect(seen(lines)).toMatchObject({ isSuspect: false, total: { count: 0 } })
})

test.each([
  [
    'large values are replaced',
    times(20, (n) => ({ $set: { blob: third, [`b${n % 2}`]: 'z'.repeat(100_000) } })),
  ],
  [
    'properties are taken away again',
    times(12, (n) => ({ $set: { [`b${n}`]: third }, $unset: n > 0 ? [`b${n - 1}`] : [] })),
  ],
  [
    'nothing is set once more',
    times(12, (n) => ({ $set_once: { blob: n === 0 ? small : third, [`b${n % 2}`]: third } })),
  ],
  [
    'its events make no person',
    times(4, (n) => ({ $process_person_profile: false, $set: { [`b${n}`]: third } })),
  ],
])('the exact sum clears a person where %s', (_, lines) => {
  const { isSuspect, total } = seen(lines)
  expect(isSuspect).toBe(true)
  expect(total.count).toBe(0)
})

test('persons are counted, by the property and event that took them over; the largest is the example', () => {
  const lines = [10, 11, 12, 13, 14, 15, 16].flatMap((size, n) =>
    times(4, (k) => ({ $set: { [`blob_${k}`]: 'x'.repeat(size * 16_000) } }), `u${n}`),
  )
  const { total } = seen(lines)
  expect(total.count).toBe(7)
  expect(total.places).toEqual([{ event: 'seen', property: 'blob_0', count: 7 }])
  // The first five are followed to their end.
  expect(total.example).toContain('distinct_id "u4", 8')
  expect(total.example).toContain('blob_0 2240')
})

test('a person over the limit is never taken for one below it', () => {
  const random = seeded(11)
  let large = 0
  for (let round = 0; round < 15; round++) {
    const bytes = 150 + Math.floor(random() ** 4 * 40_000)
    const kinds = 1 + Math.floor(random() * (900_000 / bytes))
    const lines = times(Math.ceil(kinds * 1.5), () => {
      const name = `p${Math.floor(random() * kinds)}`
      return { [random() < 0.7 ? '$set' : '$set_once']: { [name]: 'v'.repeat(bytes), always: small } }
    })
    const exact = new PersonSizes()
    for (const line of lines) exact.look(line)
    large += exact.total.count
    expect(seen(lines).total.count, `round ${round}`).toBe(exact.total.count)
  }
  expect(large).toBeGreaterThan(2)
  expect(large).toBeLessThan(13)
})
