import { readFileSync, writeFileSync } from 'node:fs'
import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NO_OWN_EVENTS } from '../../src/delivery/checkpoint.ts'
import {
  type CheckpointSnapshot,
  CheckpointWriter,
  ImportState,
  REJECTS_LOG,
} from '../../src/delivery/import-state.ts'
import { START } from '../../src/delivery/place.ts'
import { emptyNotes } from '../../src/record/notes.ts'
import { FileLog } from '../../src/state/log-file.ts'
import type { Store } from '../../src/store/store.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile } from '../helpers/import-run.ts'
import { byDay } from '../helpers/kills.ts'
import { MemoryStore } from '../helpers/memory-store.ts'
import { mortal } from '../helpers/mortal-store.ts'
import { seeded, seedOf } from '../helpers/random.ts'
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

test.each(byDay([1, 3, 5, 2, 4, 6], 3))(
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

const snapshot = (): CheckpointSnapshot => ({
  tool: 'posthaul',
  id: '',
  started_at: '',
  input: { kind: 'dataset', name: 'x', size: 0, events: 0, manifest_sha256: '', content: '' },
  target: { host: '', key: '' },
  caps: { events_per_minute: 1, events: 1, approved: false },
  command: [],
  via: 'batch',
  remarks: { warnings: {}, unmerged: {}, unknown: 0 },
  rules: '',
  places: [START],
  most_lanes: 1,
  counts: { delivered: 0, rejected: 0, filtered: 0 },
  filters: {},
  young: 0,
  reasons: {},
  notes: emptyNotes(),
  own: NO_OWN_EVENTS,
  done: false,
})

/** A writer of a checkpoint there, and the log of its rejects. */
async function writerOf(path: string, over: Partial<ConstructorParameters<typeof CheckpointWriter>[0]> = {}) {
  const log = new FileLog(join(testFolder(), 'x.rejects.ndjson'), REJECTS_LOG)
  const rejects = await log.begin()
  const state = ImportState.local({ checkpoint: path, rejects: log.path, own: `${path}.own` })
  const options = {
    state,
    rejects,
    clock: new SleepyClock(),
    look: async () => {},
    snapshot,
    failed: () => {},
  }
  return { log, rejects, journal: new CheckpointWriter({ ...options, ...over }) }
}

test('lanes that are acknowledged while a large save is under way wait for it: no reject is written over', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const failures: unknown[] = []
  const { log, rejects, journal } = await writerOf(path, { failed: (error) => failures.push(error) })
  // Each is more than the writer holds back, so each saves at once, those during a save too.
  const large = (lane: string) => `${lane.repeat(9 * 1024 * 1024)}\n`
  await Promise.all(['a', 'b', 'c'].map((lane) => journal.record([large(lane)])))
  await Promise.all(['d', 'e'].map((lane) => journal.record([`${lane}\n`])))
  await journal.flush()
  await rejects.close()
  expect(failures).toEqual([])
  const written = readFileSync(log.path, 'latin1').split('\n')
  expect(written.map((line) => line[0] ?? '').join('')).toBe('abcde')
  expect((await loadCheckpoint(path))?.state.rejects).toEqual(rejects.digest)
})

test('a save that fails because the place was taken meanwhile says so', async () => {
  const path = join(testFolder(), 'gone', 'x.checkpoint.json')
  const taken = new Error('taken')
  let looks = 0
  const { rejects, journal } = await writerOf(path, {
    look: async () => {
      if (++looks > 1) throw taken
    },
  })
  await expect(journal.flush()).rejects.toBe(taken)
  await rejects.close()
})

test('after a save that failed nothing is acknowledged any more: its rejects are in no file', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const { log, journal } = await writerOf(path)
  await journal.flush()
  const before = readFileSync(path, 'utf8')
  // At first a folder is in the place of the file, so the save fails; later it would succeed.
  await mkdir(log.path)
  await journal.record(['a\n'])
  await expect(journal.flush()).rejects.toThrow('x.rejects.ndjson')
  await rmdir(log.path)
  await expect(journal.flush()).rejects.toThrow('x.rejects.ndjson')
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test('a run whose place was taken saves nothing more, and says so once', async () => {
  const path = join(testFolder(), 'x.checkpoint.json')
  const taken = new Error('another run has it')
  const failures: unknown[] = []
  let looks = 0
  const { rejects, journal } = await writerOf(path, {
    look: async () => {
      // A writer that looks again and again without a pause would never let this test end.
      if (++looks > 5) await new Promise(() => {})
      throw taken
    },
    failed: (error) => failures.push(error),
  })
  await journal.record(['a\n'])
  await expect(journal.flush()).rejects.toBe(taken)
  await new Promise((resolve) => setImmediate(resolve))
  expect([looks, failures]).toEqual([1, [taken]])
  await rejects.close()
})
