import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { OwnLines } from '../../src/commands/import/own-lines.ts'
import { ImportState } from '../../src/delivery/import-state.ts'
import type { OwnWork } from '../../src/delivery/own-events.ts'
import { ownInput } from '../../src/imports/verify-inputs.ts'
import { loadCheckpoint } from '../helpers/checkpoint.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { FakeV1 } from '../helpers/fake-v1.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, type RunSetup, statePaths } from '../helpers/import-run.ts'
import { MemoryStore } from '../helpers/memory-store.ts'
import { mortal } from '../helpers/mortal-store.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

const DAY = 86_400_000_000
const NEVER = new AbortController().signal
const lines = new OwnLines('1.0.0', '/data/events.checkpoint.json')

const own = (n: number, event = '$groupidentify') =>
  lines.line({
    event,
    distinctId: `$company_${n}`,
    instant: 1_700_000_000_000_000 + n * DAY,
    properties: { $group_type: 'company', $group_key: `${n}`, $group_set: {} },
  })
const made = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => own(from + n))
const idOf = (line: Buffer) => identity(JSON.parse(line.toString()))

function input(events: number): string {
  const path = join(testFolder(), 'events.ndjson')
  writeFileSync(path, Array.from({ length: events }, (_, n) => `${eventLine(makeEvent(n))}\n`).join(''))
  return path
}

const run = (path: string, post: FakePost, setup: Partial<RunSetup> = {}) =>
  importFile({ path, post, ...setup })

const sends =
  (...events: readonly Buffer[]): OwnWork =>
  async (all, halt) => {
    for (const event of events) if (!(await all.sendOnce(event, halt))) return
  }

describe('events that an import makes itself', () => {
  test('go before the first event or after the last, one request a call, and are counted apart', async () => {
    const path = input(3)
    const post = new FakePost()
    const after: OwnWork = async (all, halt) => void (await all.send([own(2), own(3)], halt))
    const outcome = await run(path, post, { before: sends(own(0), own(1)), after })
    expect(outcome).toMatchObject({ counts: { read: 3, written: 3 }, ownEvents: 4, error: undefined })
    // Two days are two requests.
    expect(post.requests.map(({ events }) => events.length)).toEqual([1, 1, 3, 1, 1])
    expect(readFileSync(statePaths(path).own, 'utf8')).toBe(made(0, 4).join('\n').concat('\n'))
    expect((await loadCheckpoint(statePaths(path).checkpoint))?.state).toMatchObject({
      done: true,
      own: { events: 4 },
    })
  })

  test('are safe before they are sent: the checkpoint counts them', async () => {
    const path = input(1)
    const post = new FakePost(async ({ events }) => {
      if (events[0]?.event !== '$groupidentify') return OK
      const { state } = (await loadCheckpoint(statePaths(path).checkpoint))!
      expect(state.own).toMatchObject({ sent: 0, events: 0 })
      expect(readFileSync(statePaths(path).own).length).toBe(state.own.file.bytes)
      return OK
    })
    expect((await run(path, post, { before: sends(own(0)) })).error).toBeUndefined()
    expect(post.accepted).toHaveLength(2)
  })

  test('count against the volume cap, over all runs', async () => {
    const path = input(5)
    const caps = { perMinute: 1e9, events: 4, approved: true }
    const { counts, error, migration } = await run(path, new FakePost(), { before: sends(own(0)), caps })
    expect(error).toMatchObject({ code: 'paused' })
    expect([counts.written, migration.events]).toEqual([3, 4])
    const again = await run(path, new FakePost(), { caps: { ...caps, events: 5 } })
    expect([again.counts.written, again.migration.events]).toEqual([4, 5])
    const last = await run(path, new FakePost(), { caps: { ...caps, events: 5 }, before: sends(own(1)) })
    expect(last.error).toMatchObject({ code: 'paused' })
  })

  test('that the service refuses stop the run: they are no rejects', async () => {
    const path = input(1)
    const post = new FakePost(() => ({ status: 400, headers: {}, body: 'no such thing' }))
    const { counts, error } = await run(path, post, { before: sends(own(0)) })
    expect(error).toMatchObject({ code: 'paused', message: expect.stringContaining('no such thing') })
    expect([counts.rejected, counts.written]).toEqual([0, 0])
    const better = new FakePost()
    // Nothing has arrived, so the next run begins anew, and makes it again.
    expect((await run(path, better, { before: sends(own(0)) })).ownEvents).toBe(1)
    expect(better.accepted.map(identity)).toContain(idOf(own(0)))
  })

  test('that were sent without an answer go out again, before anything else', async () => {
    const path = input(1)
    const stop = new AbortController()
    const post = new FakePost(() => {
      stop.abort()
      return { network: 'reset', message: 'gone' }
    })
    const first = await run(path, post, { before: sends(own(0)), interrupted: stop.signal })
    expect(first).toMatchObject({ ownEvents: 0, error: { code: 'interrupted' } })
    const next = new FakePost()
    await run(path, next)
    expect(next.accepted.map(identity)[0]).toBe(idOf(own(0)))
  })

  test('that make a group type and make none stop the run before the rest; the next one sends them again', async () => {
    const path = input(2)
    const personless = new FakeV1(() => () => 'warning:person_processing_disabled')
    const work = { via: 'v1', before: sends(own(0)) } as const
    const first = await run(path, new FakePost(), { ...work, v1: personless })
    expect(first).toMatchObject({
      ownEvents: 1,
      counts: { written: 0 },
      error: { code: 'paused', message: expect.stringContaining('made no group of it: person_processing') },
    })
    expect(personless.requests).toHaveLength(1)
    const v1 = new FakeV1()
    const next = await run(path, new FakePost(), { ...work, v1 })
    expect(next).toMatchObject({ error: undefined, counts: { written: 2 } })
    expect(v1.accepted.map(identity)[0]).toBe(idOf(own(0)))
    expect([next.ownEvents, readFileSync(statePaths(path).own, 'utf8')]).toEqual([1, `${own(0)}\n`])
    expect(next.tally.remarks).toMatchObject({ warnings: {}, unmerged: {} })
  })

  test('that were to change a person and changed none are counted with those of the input', async () => {
    const path = input(2)
    const v1 = new FakeV1(
      () =>
        ({ event }) =>
          event === '$set' ? 'ok:person_processing_disabled' : 'ok',
    )
    const work = { via: 'v1', after: sends(own(0, '$set'), own(1, '$set')) } as const
    const first = await run(path, new FakePost(), { ...work, v1 })
    expect(first).toMatchObject({ error: undefined, ownEvents: 2 })
    const remarks = { warnings: { person_processing_disabled: 2 }, unmerged: { $set: 2 } }
    expect(first.tally.remarks).toMatchObject(remarks)
    expect((await loadCheckpoint(statePaths(path).checkpoint))?.state.remarks).toMatchObject(remarks)
  })

  test('that no checkpoint counts were never sent: the next run cuts them off', async () => {
    const path = input(1)
    await run(path, new FakePost(), { before: sends(own(0)) })
    appendFileSync(statePaths(path).own, `${own(1)}\n{"uuid":"half`)
    const post = new FakePost()
    expect((await run(path, post)).ownEvents).toBe(1)
    expect(post.accepted).toEqual([])
    expect(readFileSync(statePaths(path).own, 'utf8')).toBe(`${own(0)}\n`)
  })

  test('stay after a restart into the same project, and are moved aside for another', async () => {
    const path = input(1)
    await run(path, new FakePost(), { before: sends(own(0)) })
    const same = await run(path, new FakePost(), { restart: true, before: sends(own(1)) })
    expect(same.ownEvents).toBe(1)
    expect(readFileSync(statePaths(path).own, 'utf8')).toBe(`${own(0)}\n${own(1)}\n`)
    const target = { host: 'http://127.0.0.1:1', key: 'another' }
    await run(path, new FakePost(), { restart: true, target })
    expect(existsSync(statePaths(path).own)).toBe(false)
    expect(existsSync(`${statePaths(path).own}.old`)).toBe(true)
  })

  test('are what verify expects, each once, with the ids that they carry', async () => {
    const path = input(1)
    await run(path, new FakePost(), { before: sends(own(0), own(0), own(1)) })
    const state = ImportState.local(statePaths(path))
    const saved = (await state.load())!.state.own
    const expected = (await ownInput(state.own, saved, NEVER))!
    expect(expected.sums).toMatchObject({ events: 2 })
    const { properties } = JSON.parse(own(0).toString())
    expect(expected.importIds).toEqual([properties.$import_job_id])
    const { own: file } = statePaths(path)
    writeFileSync(file, readFileSync(file, 'utf8').replace('2023', '2022'))
    await expect(ownInput(state.own, saved, NEVER)).rejects.toMatchObject({ code: 'mismatch' })
    rmSync(file)
    expect((await ownInput(state.own, saved, NEVER))?.sums.events).toBe(0)
  })
})

const seed = seedOf('own events')
const NAMES = { checkpoint: 'x.checkpoint.json', rejects: 'x.rejects.ndjson', own: 'x.own.ndjson' }

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test.each([1, 2, 3, 4])(
  'killed between any two writes: each arrives, and verify expects it (%i)',
  async (n) => {
    const roll = seeded(seed + n)
    const path = input(60)
    const store = new MemoryStore()
    const delivered = new Set<string>()
    const work =
      (from: number): OwnWork =>
      async (all, halt) => {
        for (let at = from; at < from + 9; at += 3) if (!(await all.send(made(at, at + 3), halt))) return
      }
    let kills = 0
    for (let finished = false; !finished; ) {
      let dead = false
      const clock = new SleepyClock()
      const writes = kills < 12 ? Math.floor(roll() * 12) : Number.POSITIVE_INFINITY
      const dying = mortal(store, writes, roll() < 0.5, () => {
        dead = true
      })
      const state: ImportState = ImportState.inBucket(dying, NAMES)
      const post = new FakePost(async ({ events }) => {
        clock.advance(501)
        vi.advanceTimersByTime(501)
        if (dead) return { network: 'reset', message: 'the process is gone' }
        const { own: saved } = (await ImportState.inBucket(store, NAMES).load())!.state
        let known = ''
        for await (const chunk of state.own.read(saved.file)) known += chunk.toString()
        for (const event of events) {
          delivered.add(identity(event))
          // Nothing may arrive that a run after a kill does not know of.
          if (event.event === '$groupidentify') expect(known).toContain(event.uuid)
        }
        return OK
      })
      const setup = { path, post, state, clock, limits: { events: 20, bytes: 1e6 }, retryForMs: 1 }
      const outcome = await importFile({ ...setup, before: work(0), after: work(100) }).catch(() => undefined)
      if (dead) kills++
      else {
        finished = true
        expect(outcome?.error).toBeUndefined()
      }
    }
    expect(kills).toBeGreaterThan(4)
    const all = [...made(0, 9), ...made(100, 109)].map(idOf)
    expect([...delivered].sort()).toEqual(
      [...Array.from({ length: 60 }, (_, i) => identity(makeEvent(i))), ...all].sort(),
    )
    const state = ImportState.inBucket(store, NAMES)
    expect((await ownInput(state.own, (await state.load())!.state.own, NEVER))?.sums.events).toBe(18)
  },
)
