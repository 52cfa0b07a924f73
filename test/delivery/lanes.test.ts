import { describe, expect, test } from 'vitest'
import { Batch } from '../../src/delivery/batch.ts'
import { Lanes } from '../../src/delivery/lanes.ts'
import { startOf } from '../../src/delivery/place.ts'
import { eventLine, makeEvent } from '../helpers/events.ts'
import { ENVELOPE } from '../helpers/fake-post.ts'

const SOURCE = { offset: 0, line: 1, file: undefined, record: undefined }

/** A batch of one event. Its place is the part `epoch`. */
function batchOf(lane: number, epoch: number, bytes = 0): Batch {
  const batch = new Batch(lane, epoch, startOf(epoch), ENVELOPE)
  const line = Buffer.from(`${eventLine(makeEvent(epoch))}${' '.repeat(bytes)}`)
  batch.add(line, 0, line.length, SOURCE)
  batch.seal()
  return batch
}

const sent = (batch: Batch, lastRefusal = 0) => ({ batch, refused: [], lastRefusal })

function lanesOf(count: number, ...batches: Batch[]) {
  const halt = new AbortController()
  const lanes = new Lanes(count, halt.signal)
  for (const batch of batches) lanes.push(batch)
  const places = () => lanes.first([undefined, undefined].slice(0, count)).map((batch) => batch?.from.part)
  return { halt, lanes, places }
}

/** Whether a promise is settled once everything that can run has run. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  let settled = false
  void promise.then(() => {
    settled = true
  })
  await new Promise(setImmediate)
  return settled
}

describe('a batch that is sent and in doubt', () => {
  const [first, second, third] = [batchOf(0, 1), batchOf(0, 2), batchOf(0, 3)]

  test('is held: the lane goes on, its place does not, and it comes out in order when it is confirmed', async () => {
    const { lanes, places } = lanesOf(1, first, second, third)
    expect(await lanes.next(0)).toBe(first)
    lanes.hold(0, sent(first, 7))
    expect(await lanes.next(0)).toBe(second)
    lanes.hold(0, sent(second))
    expect(lanes.release(0, 6)).toBeUndefined()
    expect([places(), lanes.records, lanes.takenAndHeld]).toEqual([[1], 3, 2])
    expect(lanes.release(0, 7)).toEqual(sent(first, 7))
    expect(places()).toEqual([2])
    expect(lanes.release(0, 7)).toEqual(sent(second))
    expect(lanes.release(0, 7)).toBeUndefined()
    expect([places(), lanes.records, lanes.takenAndHeld]).toEqual([[3], 1, 0])
  })

  test('does not keep the other lanes from the next day, while one that is not sent does', async () => {
    const [later, same] = [batchOf(1, 2), batchOf(1, 1)]
    const { lanes } = lanesOf(2, first, same, later)
    expect(await lanes.next(1)).toBe(same)
    lanes.hold(1, sent(same))
    const waiting = lanes.next(1)
    expect(await isSettled(waiting)).toBe(false)
    lanes.hold(0, sent(first, 1))
    expect(await waiting).toBe(later)
  })
})

describe('lanes are stalled', () => {
  test('when all is sent, some is held, and no more will come', async () => {
    const { lanes } = lanesOf(2, batchOf(0, 1), batchOf(1, 1))
    const stalled = lanes.stalled()
    lanes.hold(0, sent(batchOf(0, 1), 1))
    lanes.close()
    expect(await isSettled(stalled)).toBe(false)
    lanes.hold(1, sent(batchOf(1, 1)))
    expect(await stalled).toBe(true)
    lanes.release(0, 1)
    lanes.release(1, 1)
    expect(await lanes.stalled()).toBe(false)
  })

  test('when what is held fills the memory, and no room comes by itself', async () => {
    const large = batchOf(0, 1, 17_000_000)
    const { lanes } = lanesOf(1, large)
    const [stalled, room] = [lanes.stalled(), lanes.room()]
    expect(await isSettled(stalled)).toBe(false)
    lanes.hold(0, sent(large, 1))
    expect(await stalled).toBe(true)
    expect(await isSettled(room)).toBe(false)
    lanes.release(0, 1)
    await room
  })

  test('not when the rest is only to be sent, nor after a halt', async () => {
    const { lanes, halt } = lanesOf(1, batchOf(0, 1), batchOf(0, 2))
    lanes.close()
    lanes.hold(0, sent(batchOf(0, 1), 1))
    const stalled = lanes.stalled()
    expect(await isSettled(stalled)).toBe(false)
    halt.abort()
    expect(await stalled).toBe(false)
  })
})

describe('the queues, so that memory does not grow with the input,', () => {
  /** Pushes batches until the lanes are full, and returns how many fitted. */
  function fill(lanes: Lanes, count: number, bytes: number): number {
    let pushed = 0
    while (pushed < count && !lanes.full) lanes.push(batchOf(0, 1 + pushed++, bytes))
    return pushed
  }

  test('are full at so many bytes', () => {
    const { lanes } = lanesOf(1)
    expect(fill(lanes, 40, 1_048_576)).toBeLessThanOrEqual(17)
    expect(lanes.full).toBe(true)
  })

  test('are full at so many batches, more with more lanes', () => {
    expect(fill(lanesOf(1).lanes, 1000, 0)).toBe(65)
    expect(fill(lanesOf(4).lanes, 1000, 0)).toBe(257)
  })

  test('have room again when a batch is acknowledged; reading waits for room until then', async () => {
    const { lanes } = lanesOf(1)
    fill(lanes, 1000, 0)
    const waiting = lanes.room()
    lanes.hold(0, sent(batchOf(0, 1)))
    expect(await isSettled(waiting)).toBe(false)
    lanes.release(0, 0)
    await waiting
    expect(lanes.full).toBe(false)
  })

  test('a halt ends the wait for room', async () => {
    const { lanes, halt } = lanesOf(1)
    fill(lanes, 1000, 0)
    const waiting = lanes.room()
    halt.abort()
    await waiting
    expect(lanes.full).toBe(true)
  })
})
