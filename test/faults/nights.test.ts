import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { isTemporaryName } from '../../src/store/own-file.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seedOf } from '../helpers/random.ts'
import { unfolded } from '../helpers/unfolded.ts'
import { Disk } from './kit/disk.ts'
import { MovedClock } from './kit/moved-clock.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'

/*
 * Nights of an import, ten minutes of each, with its state, its log and its metrics in files of this machine. In the night after
 * the first, summer time ends. In the third the disk fills while a run is under way, in the fourth it is full from the
 * beginning, and then somebody makes room.
 */
const seed = seedOf('nights')
const DAY = 86_400_000
const NIGHTS = kills({ few: 10, many: 30 })
/** A cap of 3 lets one event through a minute, and nine in a night. */
const CAP = 3
const EVENTS = (NIGHTS - 3) * 8
/** One event in so many is refused, so that there are rejects. */
const POISONED = 7

const ends: (() => unknown)[] = []
afterEach(() => {
  for (const end of ends.splice(0).reverse()) end()
})

async function begin() {
  vi.stubEnv('TZ', 'Europe/Berlin')
  ends.push(() => vi.unstubAllEnvs())
  const folder = testFolder()
  const disk = await Disk.of(folder)
  ends.push(() => disk.close())
  const clock = new MovedClock(Date.UTC(2026, 9, 24))
  ends.push(() => clock.stop())
  const service = await Service.start()
  const env = { XDG_STATE_HOME: join(folder, 'home') }
  const work = new FaultyImport({ service, seed, events: EVENTS, perMinute: CAP, folder, env })
  for (const { uuid, n } of work.minted) if (n % POISONED === 3) service.poison.add(uuid)
  const argv = ['--stop-after', '10m', '--metrics-file', join(folder, 'run.prom')]
  return { clock, disk, folder, service, work, night: () => work.runHere(...argv) }
}

test('nights on a disk that fills and is emptied: exact, within the cap, files bounded', async () => {
  const { clock, disk, folder, service, work, night } = await begin()
  let told = 0
  for (let n = 0; n < NIGHTS; n++) {
    const before = service.requests.length
    const fills = n === 2 ? before + 4 : n === 3 ? before : Number.POSITIVE_INFINITY
    disk.isFull = n === 3
    service.script = (request) => {
      if (request >= fills) disk.isFull = true
      return undefined
    }
    const { code, stderr } = await night()
    told += stderr.length
    if (disk.isFull) {
      expect([code, unfolded(stderr)]).toEqual([5, expect.stringContaining('disk is full')])
      const sent = n === 2 ? 5 : 0
      expect(service.requests.length - before, 'what can not be noted is not sent on').toBe(sent)
    } else {
      // 5 where the night ends with a refusal that is in doubt.
      expect([0, 3, 5], stderr).toContain(code)
      work.judge()
    }
    disk.isFull = false
    clock.pass(DAY - (clock.wall() % DAY))
  }
  const ended = await night()
  expect(ended.summary, ended.stderr).toMatchObject({ finished: true, counts: { pending: 0 } })
  work.judge()
  const sent = service.requests.filter(({ stored }) => stored).length
  expect(sent - (ended.summary?.counts.written ?? 0), 'sent again').toBeLessThanOrEqual(NIGHTS)

  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(files.filter((name) => isTemporaryName(name.split('/').at(-1)!))).toEqual([])
  expect(files.filter((name) => name.endsWith('.lock'))).toEqual([])
  const ledger = files.find((name) => name.endsWith('.ledger.json'))!
  expect(statSync(join(folder, ledger)).size).toBeLessThan(1000)
  expect(told / NIGHTS, 'bytes of log in ten minutes').toBeLessThan(6000)
})
