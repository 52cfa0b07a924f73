import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, expect, test, vi } from 'vitest'
import { runCommand } from '../helpers/command.ts'
import { testFolder } from '../helpers/folder.ts'
import { sandboxEnv } from '../helpers/sandbox-env.ts'
import { unfolded } from '../helpers/unfolded.ts'
import type { KeptBucket } from './kit/kept-bucket.ts'
import { DAY, HOUR, Month, monthOfHistory } from './kit/month.ts'
import { MovedClock } from './kit/moved-clock.ts'
import { Service } from './kit/service.ts'
import { SlowProject } from './kit/slow-project.ts'

/*
 * A month of an import, as a large history takes it: at the rate cap day and night, begun by cron each hour, told to stop once a
 * day. The commands run in this process by a clock that leaps, with their state in a bucket in memory. The cap is the lowest
 * that there is, so that a request is a minute; all else is as with any cap.
 */

/** Four hours before New York puts its clocks back, and a month before PostHog changes how it stores events. */
const BEGIN = Date.UTC(2026, 10, 1, 2)
const NEW_STORAGE = Date.UTC(2026, 10, 30)
const OUTAGE = { from: BEGIN + 6 * DAY + 5 * HOUR, to: BEGIN + 6 * DAY + 13 * HOUR }
const KEY_REPLACED = BEGIN + 12 * DAY + 7 * HOUR
const HOST_REPLACED = BEGIN + 18 * DAY + 9.5 * HOUR

/** A cap of 3 lets one event through a minute: the pacer keeps two for the requests of a run before. */
const CAP = 3
const MINUTE = 60_000
const EVENTS = 29.5 * 24 * 60
/** The volume cap is under the size of the dataset, so that the last events wait for it. */
const VOLUME = EVENTS - 60

const held = vi.hoisted(() => ({ bucket: undefined as unknown }))
vi.mock('../../src/store/open.ts', async (original) => {
  const machine = await original<typeof import('../../src/store/open.ts')>()
  const openStore: typeof machine.openStore = async (location, options) =>
    location.startsWith('s3:') ? (held.bucket as KeptBucket) : machine.openStore(location, options)
  return { openStore }
})

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function heapMb(): number {
  collect()
  return process.memoryUsage().heapUsed / 1e6
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

async function begin() {
  const { KeptBucket } = await import('./kit/kept-bucket.ts')
  const bucket = new KeptBucket()
  held.bucket = bucket
  vi.stubEnv('TZ', 'America/New_York')
  ends.push(() => vi.unstubAllEnvs())
  const folder = testFolder()
  const clock = new MovedClock(BEGIN)
  ends.push(() => clock.stop())
  const service = await Service.start(undefined, (stop) => ends.push(stop))
  const options = { data: join(folder, 'project'), key: 'phc_month', now: clock.wall, most: EVENTS + 1000 }
  const project = await SlowProject.start(options, 'table')
  ends.push(() => project.close())
  const dataset = await monthOfHistory(folder, EVENTS)
  const month = new Month({ clock, service, project, bucket, dataset, perMinute: CAP })
  month.maxEvents = VOLUME
  return { clock, service, project, dataset, bucket, month }
}

type Rehearsal = Awaited<ReturnType<typeof begin>>

/** What is kept and held at noon of a day. */
interface Noon {
  readonly heap: number
  readonly ledger: number
  readonly pace: number
  readonly checkpoint: number
  readonly sent: number
}

/** What happens on the way, while a run is under way. Looks once a day at what is kept. */
function meet({ clock, service, project, bucket, month }: Rehearsal): Noon[] {
  const noons: Noon[] = []
  let isOut = false
  let isReplaced = false
  project.isAway = async () => {
    const now = clock.wall()
    if (now >= OUTAGE.from && now < OUTAGE.to) {
      if (!isOut) service.stop()
      isOut = true
      return true
    }
    if (now >= KEY_REPLACED) project.key = 'phc_afterwards'
    if (now >= HOST_REPLACED && !isReplaced) {
      isReplaced = true
      month.die()
    }
    // In its first minute a run of such a cap sends nothing, and a long pace log tells its speed each ten minutes.
    if (now >= BEGIN + noons.length * DAY + DAY / 2 && month.age > 15 * MINUTE) {
      await month.foretell()
      const [ledger, pace, checkpoint] = ['.ledger.json', '.pace.ndjson', '.checkpoint.json'].map((name) =>
        bucket.bytesOf(name),
      )
      noons.push({ heap: heapMb(), ledger: ledger!, pace: pace!, checkpoint: checkpoint!, sent: bucket.sent })
    }
    return false
  }
  return noons
}

/** The key is refused: somebody sets the new one, and says which one it replaces. */
async function replaceKey({ month, project }: Rehearsal): Promise<void> {
  month.key = project.key
  const refused = await month.run()
  const [flag = ''] = /--replaces-key [0-9a-f]{16}/.exec(unfolded(refused.stderr)) ?? []
  expect([refused.code, flag], refused.stderr).toEqual([6, expect.stringContaining('--replaces-key')])
  await project.change('table')
  await month.run(...flag.split(' '))
}

/** Runs it as cron does until it stops at the volume cap. */
async function wholeMonth(rehearsal: Rehearsal): Promise<void> {
  const { clock, service, project, month } = rehearsal
  let isOut = false
  let isNew = false
  while (!month.nights.at(-1)?.stderr.includes('the volume cap is reached')) {
    const { code, stderr } = await month.run()
    expect(clock.wall(), stderr).toBeLessThan(BEGIN + 35 * DAY)
    expect(code, stderr).not.toBe(1)
    if (code === 4) await replaceKey(rehearsal)
    month.nextHour()
    isOut ||= clock.wall() >= OUTAGE.from
    if (isOut && clock.wall() >= OUTAGE.to && service.isDown) await service.up()
    if (clock.wall() >= NEW_STORAGE && !isNew) {
      isNew = true
      await project.change('json')
    } else await project.store()
  }
}

/**
 * Holds what `status` foretold against the end. No forecast knows of what is yet to come: the outage, the key that is refused
 * until somebody replaces it, the dead host's lock, ten minutes between two days. So the time in which nothing was sent
 * afterwards is taken from its error, which is a share of the time that was left. What was foretold after the last of these
 * things, with ten minutes a day to come, is held against the end as it is.
 */
function expectForetold({ month, project }: Rehearsal): void {
  const { arrivals } = project
  const end = arrivals.at(-1)!
  expect(month.forecasts).toHaveLength(Math.floor((end - BEGIN + DAY / 2) / DAY))
  for (const { at, endsAt } of month.forecasts) {
    const day = new Date(at).toISOString()
    const work = arrivals.filter((arrival) => arrival > at).length * MINUTE
    const lost = end - at - work
    expect(Math.abs(endsAt + lost - end), day).toBeLessThan(0.05 * (end - at))
    if (at > HOST_REPLACED) expect(Math.abs(endsAt - end), day).toBeLessThan(0.05 * (end - at))
    expect(Math.abs(endsAt - end), `${day}, of the month`).toBeLessThan(0.05 * (end - BEGIN))
  }
}

/** Nothing that is kept grows with the days, but the pace log up to a week of minutes; nor does memory. */
function expectBounded(noons: readonly Noon[]): void {
  for (const { ledger, checkpoint, pace } of noons) {
    expect([ledger, checkpoint, pace].map((bytes, n) => bytes <= [1000, 3000, 10_080 * 220][n]!)).toEqual([
      true,
      true,
      true,
    ])
  }
  const [early, late] = [noons[5]!, noons.at(-1)!]
  // The pace log of a week is in memory as well.
  expect(late.heap - early.heap, 'MB of heap between day 6 and the last').toBeLessThan(8)
  // Of what goes to the bucket most is the pace log: 1000 lines a minute at most.
  expect(late.sent / noons.length, 'bytes a day').toBeLessThan(24 * 60 * 1000 * 220)
}

/** How many runs ended with each code: 5 in the outage and at the volume cap, 4 and 6 as the key is replaced, 143 as the host dies. */
function codesOf({ nights }: Month): Record<number, number> {
  const codes: Record<number, number> = {}
  for (const { code } of nights) codes[code] = (codes[code] ?? 0) + 1
  return codes
}

test('a month at the cap: exact, within both caps, bounded, and foretold each day', async () => {
  const rehearsal = await begin()
  const { clock, project, dataset, month } = rehearsal
  const noons = meet(rehearsal)
  await wholeMonth(rehearsal)
  expectForetold(rehearsal)
  expectBounded(noons)
  const stored = async () => {
    clock.pass(2 * MINUTE)
    return (await project.sandbox.query('SELECT count(), count(DISTINCT uuid) FROM events')).results
  }
  expect(codesOf(month)).toEqual({ 0: expect.any(Number), 4: 1, 5: 5, 6: 1, 143: 1 })
  expect(project.busiestMinute, 'events in 60 s').toBeLessThanOrEqual(CAP)
  expect(await stored(), 'no more than the volume cap').toEqual([[VOLUME, VOLUME]])
  const { migration } = await month.status()
  expect(migration).toMatchObject({ delivered: VOLUME, imports: 1 })

  month.maxEvents = EVENTS
  const last = await month.run()
  await project.store()
  expect([last.code, last.said.counts?.written, last.said.counts?.pending], last.stderr).toEqual([
    0,
    EVENTS,
    0,
  ])
  expect(await stored(), 'each event once').toEqual([[EVENTS, EVENTS]])
  const verified = await runCommand(['verify', dataset, '--json'], { env: sandboxEnv(project.sandbox) })
  expect(verified.code, verified.stderr).toBe(0)
  expect(project.busiestMinute, 'events in 60 s').toBeLessThanOrEqual(CAP)
  expect(project.arrivals.length - EVENTS, 'sent again').toBeLessThanOrEqual(month.nights.length)
})
