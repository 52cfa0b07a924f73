import { expect, test } from 'vitest'
import { RepeatCount } from '../../src/transform/repeats.ts'
import { ENTRY_WORDS, KEY_WORD, KIND_WORD, KINDS } from '../../src/transform/run/frame.ts'
import { seeded, seedOf } from '../helpers/random.ts'

const seed = seedOf('repeats')

interface Event {
  readonly id: number
  readonly content: number
  readonly instant: number
  readonly seq: number
}

function counted(events: readonly Event[], pieces: number) {
  const words = new Uint32Array(ENTRY_WORDS)
  const counts = Array.from({ length: pieces }, () => new RepeatCount())
  for (const { id, content, instant, seq } of events) {
    words[KEY_WORD] = id
    words[KIND_WORD] = (content << 2) | KINDS.own
    counts[seq % pieces]!.see(words, 0, { day: 1, instant, seq })
  }
  const whole = new RepeatCount()
  for (const one of counts) whole.add(one.take())
  return whole.told
}

test('duplicates are counted as they are sealed: the first in time is kept, in however many pieces', () => {
  const random = seeded(seed)
  const events = Array.from({ length: 2000 }, (_, seq) => {
    const id = Math.floor(random() * 900)
    return { id, content: random() < 0.5 ? id : seq, instant: seq, seq }
  })
  const kept = new Map<number, number>()
  let [count, unlike] = [0, 0]
  for (const { id, content } of events) {
    if (!kept.has(id)) kept.set(id, content)
    else {
      count++
      if (kept.get(id) !== content) unlike++
    }
  }
  expect(counted(events, 1)).toEqual({ count, unlike, estimated: false })
  expect(counted(events.toReversed(), 1).count).toBe(count)
  expect(counted(events, 7)).toMatchObject({ count, estimated: false })
})

test('of more ids than are held a part is counted, and stands for all', () => {
  const events = Array.from({ length: 300_000 }, (_, seq) => {
    return { id: seq % 200_000, content: seq, instant: seq, seq }
  })
  for (const pieces of [1, 5]) {
    const { count, unlike, estimated } = counted(events, pieces)
    expect(estimated).toBe(true)
    expect(unlike).toBe(count)
    expect(Math.abs(count - 100_000)).toBeLessThan(5_000)
  }
})
