import { describe, expect, test } from 'vitest'
import { type CliProcess, type Ended, signalWhen } from '../helpers/cli-process.ts'
import { runHosted } from '../helpers/command-host.ts'
import { kills } from '../helpers/kills.ts'
import { seeded } from '../helpers/random.ts'
import { type Action, POISONED, type Script, says } from './kit/action.ts'
import { FastClock } from './kit/clock.ts'
import { FaultyImport, type Imported } from './kit/run.ts'
import { Service } from './kit/service.ts'

/** Runs that are disturbed, before one that is not. */
const RUNS = 6
const EVENTS = 160
const OVER_QUOTA: Action = {
  answer: { ...says(200, '{"status":"Ok","quota_limited":["events"]}'), acknowledges: false },
}
const MOMENTS = ['beforeBody', 'inBody', 'afterBody', 'inHead', 'inAnswer'] as const

type Random = () => number
const below = (random: Random, most: number) => Math.floor(random() * most)

/** What the service does in one run: now and then a fault, and from some request on perhaps one that lasts. */
function disturbedService(random: Random, from: number): Script {
  const lastsFrom = from + below(random, 60)
  const lasting = [undefined, undefined, { answer: POISONED }, OVER_QUOTA, { answer: says(503) }][
    below(random, 5)
  ]
  return (n) => {
    if (lasting && n >= lastsFrom) return lasting
    const dice = random()
    if (dice < 0.04) return { reset: MOMENTS[below(random, MOMENTS.length)]! }
    if (dice < 0.06) return { answer: says(503) }
    return undefined
  }
}

/** How one run ends: by itself, by a signal at some request, when its time is up, or at the volume cap. */
function endOf(
  random: Random,
  service: Service,
): { more: string[]; until?: (cli: CliProcess) => Promise<Ended> } {
  const at = service.requests.length + 1 + below(random, 50)
  const isTime = () => service.requests.length >= at
  const by = (signal: NodeJS.Signals) => (cli: CliProcess) => signalWhen(cli, signal, isTime)
  const ends = [
    { more: [] },
    { more: [], until: by('SIGKILL') },
    { more: [], until: by('SIGTERM') },
    { more: ['--stop-after', `${1 + below(random, 15)}s`] },
    { more: ['--max-events', String(20 + below(random, EVENTS))] },
  ]
  return ends[below(random, ends.length)]!
}

/** What `status` says of the checkpoint and of the project's ledger. */
async function statusOf(it: FaultyImport) {
  const { stdout } = await runHosted(['status', `${it.input}.checkpoint.json`, '--json'], it.env)
  return JSON.parse(stdout) as { migration: { events: number; delivered: number }; written: number }
}

describe('bad events, faults of the service, signals, kills and caps, one run after another', () => {
  const seeds = Array.from({ length: kills({ few: 1, many: 2 }) }, (_, n) => n + 3)
  test.each(seeds)('seed %i', async (seed) => {
    const random = seeded(seed)
    const service = await Service.start()
    const it = new FaultyImport({
      service,
      seed,
      events: EVENTS,
      days: 1 + below(random, 5),
      clock: new FastClock(20),
    })
    const share = random() * 0.3
    for (const { uuid } of it.minted) if (random() < share) service.poison.add(uuid)
    const usual = ['--lanes', String(1 + 3 * below(random, 2)), '--batch-events', '12', '--retry-for', '20s']
    const said: string[] = []
    const tell = ({ code, signal, stderr, summary }: Imported, more: readonly string[]) =>
      said.push(
        `${more.join(' ')} → ${code ?? signal} ${JSON.stringify(summary?.counts)} ${stderr.slice(-700)}`,
      )
    try {
      for (let run = 0; run < RUNS; run++) {
        service.script = disturbedService(random, service.requests.length)
        const { more, until } = endOf(random, service)
        const flags = [...usual, ...more]
        const ended = until ? it.ended(await until(it.start(...flags))) : await it.run(...flags)
        tell(ended, more)
        if (ended.signal === 'SIGKILL') continue
        expect([0, 3, 5, 143]).toContain(ended.code)
        it.judge()
        const { migration, written } = await statusOf(it)
        expect(migration.delivered).toBe(written)
        expect(written).toBe(ended.summary!.counts.written)
        expect(migration.events).toBeGreaterThanOrEqual(written)
      }
      service.script = () => undefined
      let last = await it.run(...usual)
      tell(last, [])
      // Many bad events in a row, or at the end alone.
      if (last.code === 5) last = await it.run(...usual, '--accept', 'refusals')
      expect([0, 3]).toContain(last.code)
      expect(last.summary?.finished).toBe(true)
      it.judge()
      expect([...it.oracle.rejectedIn(it.rejectsFile)].sort()).toEqual([...service.poison].sort())
      const { migration } = await statusOf(it)
      expect(migration).toMatchObject({
        events: last.summary!.counts.written,
        delivered: last.summary!.counts.written,
      })
    } catch (cause) {
      throw new Error(`${(cause as Error).message}\n${said.join('\n---\n')}`, { cause })
    }
  })
})
