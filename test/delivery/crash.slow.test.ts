import { copyFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { FileSource } from '../../src/delivery/file-source.ts'
import type { InputSource } from '../../src/delivery/intake.ts'
import { conserved } from '../../src/record/counts.ts'
import { eventLine, identity, makeEvent } from '../helpers/events.ts'
import { FakePost, OK } from '../helpers/fake-post.ts'
import { testFolder } from '../helpers/folder.ts'
import { importFile, statePaths } from '../helpers/import-run.ts'
import { seeded } from '../helpers/random.ts'
import { seedOf } from '../helpers/seed.ts'
import { SleepyClock } from '../helpers/sleepy-clock.ts'

/** Copies the files of an import's state at one instant: what a kill would leave on the disk. */
class Snapshots {
  readonly #folder = testFolder()
  readonly #names: readonly string[]

  constructor(path: string) {
    const { checkpoint: checkpointPath, rejects: rejectsPath } = statePaths(path)
    this.#names = [checkpointPath, `${checkpointPath}.previous`, `${checkpointPath}.tmp`, rejectsPath]
  }

  take(): void {
    this.#names.forEach((name, at) => {
      rmSync(this.#kept(at), { force: true })
      if (existsSync(name)) copyFileSync(name, this.#kept(at))
    })
  }

  restore(): void {
    this.#names.forEach((name, at) => {
      rmSync(name, { force: true })
      if (existsSync(this.#kept(at))) copyFileSync(this.#kept(at), name)
    })
  }

  #kept(at: number): string {
    return join(this.#folder, String(at))
  }
}

/** The file, read in small chunks, so that saves happen while batches are open. */
async function nibbled(path: string): Promise<InputSource> {
  const source = await FileSource.open(path)
  async function* bites(chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += 3_000) {
        yield chunk.subarray(at, at + 3_000)
        await new Promise(setImmediate)
      }
    }
  }
  return {
    name: source.name,
    events: undefined,
    totalBytes: source.totalBytes,
    mayHave: () => true,
    verify: (saved, places) => source.verify(saved, places),
    identity: () => source.identity(),
    bytesBefore: (place) => source.bytesBefore(place),
    async *pieces(from) {
      for await (const piece of source.pieces(from)) yield { ...piece, chunks: bites(piece.chunks) }
    },
  }
}

const seed = seedOf('crash')

test.each([1, 2, 3, 4, 5, 6, 7, 8])(
  'crash after crash at any request: all arrives, no reject twice (%i)',
  async (round) => {
    const roll = seeded(seed + round)
    const lanes = 1 + Math.floor(roll() * 4)
    const path = join(testFolder(), 'events.ndjson')
    const good = Array.from({ length: 600 }, (_, n) =>
      makeEvent(n, { day: 1 + Math.floor(n / 150), ids: 25 }),
    )
    const poison = new Set(good.filter(() => roll() < 0.01).map((event) => event.uuid))
    const lines = good.flatMap((event, n) =>
      roll() < 0.05 ? [`bad ${n}`, eventLine(event)] : [eventLine(event)],
    )
    writeFileSync(path, `${lines.join('\n')}\n`)
    const snapshots = new Snapshots(path)
    const delivered = new Set<string>()
    let crashes = 0
    for (let finished = false; !finished; ) {
      const stop = new AbortController()
      const clock = new SleepyClock()
      let crashAt = crashes < 12 ? Math.floor(roll() * 30) : Number.POSITIVE_INFINITY
      const post = new FakePost(async ({ events }) => {
        // Saves and other lanes go on for a while, so that the crash comes at any point of them.
        clock.advance(roll() * 800)
        for (let turns = Math.floor(roll() * 8); turns > 0; turns--) await new Promise(setImmediate)
        if (crashAt-- === 0) {
          snapshots.take()
          stop.abort()
        }
        // After the crash, the service gets nothing more from this run.
        if (stop.signal.aborted || roll() < 0.1) return { network: 'reset', message: 'the connection broke' }
        if (events.some(({ uuid }) => poison.has(uuid))) return { status: 400, headers: {}, body: 'refused' }
        for (const event of events) delivered.add(identity(event))
        return roll() < 0.1 ? { network: 'reset', message: 'the answer was lost' } : OK
      })
      const outcome = await importFile({
        path,
        post,
        lanes,
        limits: { events: 20, bytes: 1e6 },
        interrupted: stop.signal,
        clock,
        source: await nibbled(path),
      })
      expect(conserved(outcome.counts)).toBe(true)
      if (stop.signal.aborted) {
        snapshots.restore()
        crashes++
      } else {
        finished = true
        expect(outcome.error).toBeUndefined()
        expect(outcome.counts).toMatchObject({
          read: lines.length,
          written: good.length - poison.size,
          pending: 0,
        })
      }
    }
    const expected = good.filter(({ uuid }) => !poison.has(uuid)).map(identity)
    expect([...delivered].sort()).toEqual(expected.sort())
    const rejects = existsSync(`${path}.rejects.ndjson`)
      ? readFileSync(`${path}.rejects.ndjson`, 'utf8').trim().split('\n')
      : []
    const records = rejects.map((line) => JSON.parse(line).record).sort()
    const bad = lines.filter((line) => line.startsWith('bad'))
    const refused = good.filter(({ uuid }) => poison.has(uuid)).map(eventLine)
    expect(records).toEqual([...bad, ...refused].sort())
  },
)
