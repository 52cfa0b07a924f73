import { expect, test } from 'vitest'
import { AMPLITUDE_COUNTED } from '../../../src/sources/amplitude/report.ts'
import { DistinctSet, PartCounter, SpanHash } from '../../../src/sources/counts/part-counter.ts'
import { loadCounts, OTHER_EVENTS, saveCounts, slotOf } from '../../../src/sources/counts/part-counts.ts'
import { MIXPANEL_COUNTED } from '../../../src/sources/mixpanel/mixpanel.ts'
import { freshStore } from '../harness.ts'

const AT = Date.UTC(2024, 2, 1)
const SLOT = slotOf(AT * 1000)
const QUARTER = 900_000

const record = (event: unknown, properties: object) => JSON.stringify({ event, properties })

function countOf(lines: readonly string[], mostDistinct?: number, step = 7) {
  const counter = new PartCounter(MIXPANEL_COUNTED, mostDistinct)
  const bytes = Buffer.from(lines.join('\n'))
  for (let at = 0; at < bytes.length; at += step) counter.push(bytes.subarray(at, at + step))
  return counter.end()
}

test('counts by name and quarter of an hour, wherever chunks are cut', () => {
  const lines = [
    record('A', { time: AT, distinct_id: 'u', $insert_id: '1' }),
    '',
    record('A', { time: AT + QUARTER - 1, distinct_id: 'u', $insert_id: '2' }),
    record('Füße ✓', { distinct_id: 'u', time: AT + QUARTER, $insert_id: '3' }),
    record('__proto__', { time: AT, distinct_id: 'u', $insert_id: '4' }),
  ]
  const counts = new Map([
    ['A', new Map([[SLOT, 2]])],
    ['Füße ✓', new Map([[SLOT + 1, 1]])],
    ['__proto__', new Map([[SLOT, 1]])],
  ])
  for (const step of [1, 7, 10_000])
    expect(countOf(lines, undefined, step)).toEqual({ counts, copies: 0, unread: 0 })
})

test('copies count once, as in the reports: event, time, distinct_id and $insert_id are the same', () => {
  const base = { time: AT, distinct_id: 'u', $insert_id: 'x' }
  const { counts, copies } = countOf([
    record('A', base),
    record('A', { ...base, city: 'Graz' }),
    record('B', base),
    record('A', { ...base, time: AT + 1 }),
    record('A', { ...base, distinct_id: 'v' }),
    // Without an insert id nothing is a copy.
    record('A', { time: AT, distinct_id: 'u' }),
    record('A', { time: AT, distinct_id: 'u' }),
  ])
  expect([counts.get('A')?.get(SLOT), counts.get('B')?.get(SLOT), copies]).toEqual([5, 1, 1])
})

test('a part that is too large to tell copies apart says so', () => {
  const lines = Array.from({ length: 9 }, (_, i) =>
    record('A', { time: AT, distinct_id: 'u', $insert_id: `${i % 3}` }),
  )
  expect(countOf(lines, 100)).toMatchObject({ copies: 6, counts: new Map([['A', new Map([[SLOT, 3]])]]) })
  const { copies, counts } = countOf(lines, 2)
  expect(copies).toBeNull()
  expect(counts.get('A')!.get(SLOT)).toBeGreaterThan(3)
})

test('records without a name or a time are not counted, and nothing crashes', () => {
  const lines = [
    '{',
    '[]',
    'null',
    record('A', {}),
    record('A', { time: 'soon' }),
    record(null, { time: AT }),
    '{"event":"A"}',
  ]
  expect(countOf(lines)).toEqual({ counts: new Map(), copies: 0, unread: lines.length })
})

test('names beyond the most are counted together', () => {
  const lines = Array.from({ length: 10_005 }, (_, i) => record(`name ${i}`, { time: AT }))
  const { counts } = countOf(lines, undefined, 100_000)
  expect([counts.size, counts.get(OTHER_EVENTS)?.get(SLOT)]).toEqual([10_001, 5])
})

test("Amplitude's updates of properties are no events, and every record counts", () => {
  const counter = new PartCounter(AMPLITUDE_COUNTED)
  const time = '2024-03-01 00:00:00.000000'
  for (const event_type of ['A', 'A', '$identify', '$groupidentify']) {
    counter.push(
      Buffer.from(`${JSON.stringify({ event_type, event_time: null, client_event_time: time })}\n`),
    )
  }
  expect(counter.end()).toEqual({ counts: new Map([['A', new Map([[SLOT, 2]])]]), copies: 0, unread: 0 })
})

test('counts are kept beside a part, and belong to just that part', async () => {
  const store = freshStore()
  const counts = countOf([record('A', { time: AT, $insert_id: '1' }), record(OTHER_EVENTS, { time: AT })])
  await saveCounts(store, '2024-03-01', 'abc', counts)
  expect(await loadCounts(store, '2024-03-01', 'abc')).toEqual(counts)
  expect(await loadCounts(store, '2024-03-01', 'def')).toBeUndefined()
  expect(await loadCounts(store, '2024-03-02', 'abc')).toBeUndefined()
  await store.put('counts/2024-03-01.counts.json.gz', Buffer.from('damaged'))
  expect(await loadCounts(store, '2024-03-01', 'abc')).toBeUndefined()
})

test('tells every text from every other, however the set grows', () => {
  const set = new DistinctSet(1_000_000)
  const hash = new SpanHash()
  const add = (...texts: string[]) => {
    hash.reset()
    for (const text of texts) hash.add(Buffer.from(text), 0, Buffer.byteLength(text))
    return set.add(hash.low, hash.high)
  }
  /** How many of 50,000 texts were new. */
  const addAll = () => {
    let added = 0
    for (let i = 0; i < 50_000; i++) if (add(`user-${i % 1000}`, String(i))) added++
    return added
  }
  expect([addAll(), addAll()]).toEqual([50_000, 0])
  // The same letters, cut elsewhere, are other values.
  expect(add('ab', 'c')).toBe(true)
  expect(add('a', 'bc')).toBe(true)
  expect(add('abc', '')).toBe(true)
  expect(add('', 'abc')).toBe(true)
})

test('a hash of zeros is one like others, and a full set says so', () => {
  const set = new DistinctSet(2)
  expect([set.add(0, 0), set.add(0, 0), set.full]).toEqual([true, false, false])
  expect([set.add(0, 7), set.full]).toEqual([true, true])
})
