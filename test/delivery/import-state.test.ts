import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ImportState } from '../../src/delivery/import-state.ts'
import type { Store } from '../../src/store/store.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'
import { MemoryStore } from '../helpers/memory-store.ts'
import { mortal } from '../helpers/mortal-store.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

const seed = seedOf('bucket-crash')

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const NAMES = { checkpoint: 'x.checkpoint.json', rejects: 'x.rejects.ndjson', own: 'x.own.ndjson' }
const stateIn = (store: Store): ImportState => ImportState.inBucket(store, NAMES)

async function recordsOf(state: ImportState): Promise<string[]> {
  const chunks: Buffer[] = []
  const saved = await state.load()
  for await (const chunk of state.rejects.read(saved!.state.rejects)) chunks.push(Buffer.from(chunk))
  const lines = Buffer.concat(chunks).toString().split('\n').slice(0, -1)
  return lines.map((line) => JSON.parse(line).record)
}

test.each([1, 2, 3, 4, 5, 6])(
  'killed between any two writes: all arrives, no reject twice (%i)',
  async (round) => {
    const roll = seeded(seed + round)
    const path = join(testFolder(), 'events.ndjson')
    const good = Array.from({ length: 600 }, (_, n) =>
      makeEvent(n, { day: 1 + Math.floor(n / 150), ids: 25 }),
    )
    const bad = (n: number) => `bad ${n} ${'x'.repeat(round % 2 ? 10 : 60_000)}`
    const lines = good.flatMap((event, n) => (roll() < 0.1 ? [bad(n), eventLine(event)] : [eventLine(event)]))
    writeFileSync(path, `${lines.join('\n')}\n`)
    const store = new MemoryStore()
    const delivered = new Set<string>()
    let kills = 0
    for (let finished = false; !finished; ) {
      let dead = false
      const clock = new SleepyClock()
      const writes = kills < 15 ? Math.floor(roll() * 9) : Number.POSITIVE_INFINITY
      const state = stateIn(
        mortal(store, writes, roll() < 0.5, () => {
          dead = true
        }),
      )
      const post = new FakePost(async ({ events }) => {
        // Time enough for a save of each batch.
        clock.advance(501)
        vi.advanceTimersByTime(501)
        for (let turns = Math.floor(roll() * 8); turns > 0; turns--) await new Promise(setImmediate)
        if (dead) return { network: 'reset', message: 'the process is gone' }
        for (const event of events) delivered.add(identity(event))
        return OK
      })
      const options = { path, post, state, clock, limits: { events: 20, bytes: 1e6 }, retryForMs: 1 }
      const outcome = await importFile(options).catch(() => undefined)
      if (dead) kills++
      else {
        finished = true
        expect(outcome?.error).toBeUndefined()
        expect(outcome?.counts).toMatchObject({ read: lines.length, written: good.length, pending: 0 })
      }
    }
    expect(kills).toBeGreaterThan(4)
    expect([...delivered].sort()).toEqual(good.map(identity).sort())
    expect(await recordsOf(stateIn(store))).toEqual(lines.filter((line) => line.startsWith('bad')))
  },
)

test('of two runs with one state, the one that lost its lease saves nothing', async () => {
  const store = new MemoryStore()
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, `${eventLine(makeEvent(1))}\n`)
  const [first, second] = [stateIn(store), stateIn(store)]
  await first.load()
  await importFile({ path, post: new FakePost(() => OK), state: second })
  const { state } = (await second.load())!
  await expect(first.save(state)).rejects.toMatchObject({ code: 'mismatch' })
  expect((await stateIn(store).load())?.state.counts.delivered).toBe(1)
})
