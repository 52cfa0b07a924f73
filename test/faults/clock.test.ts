import { describe, expect, test, vi } from 'vitest'
import { runCli } from '../helpers/cli-process.ts'
import { exits } from '../helpers/exits.ts'
import { testFolder } from '../helpers/folder.ts'
import { patience } from '../helpers/patience.ts'
import { seedOf } from '../helpers/random.ts'
import { FastClock } from './kit/clock.ts'
import { suffering } from './kit/plan.ts'
import { FaultyImport } from './kit/run.ts'
import { Service } from './kit/service.ts'
import { worksOf } from './kit/works.ts'

const seed = seedOf('clock')
const DAY = 86_400_000
/** A clock that jumps to another day and back while the program starts, and while it works; at last by a leap second. */
const JUMPS = [
  [100, 400 * DAY],
  [400, -800 * DAY],
  [700, 401 * DAY],
  [1000, -3_600_000],
  [1150, -1000],
] as const

// An import looks at its clock only through its pacer, which the next test is for.
const { transform, export: exported } = worksOf(seed)

test.each(Object.entries({ transform, export: exported }))(
  '%s: a wall clock that jumps in the middle changes nothing',
  async (_, begin) => {
    const { argv, env, check } = await begin(testFolder())
    await check(await runCli(argv, { ...env, ...suffering({ wall: JUMPS.slice(1) }) }))
  },
)

describe('an import under a cap', () => {
  const PER_MINUTE = 600
  // A minute of the program's clock is a second of the test's.
  const SPEED = 60

  function capped(service: Service, events: number, env?: Record<string, string>): FaultyImport {
    return new FaultyImport({
      service,
      seed,
      events,
      perMinute: PER_MINUTE,
      clock: new FastClock(SPEED),
      ...(env && { env }),
    })
  }

  test('sends no burst when the wall clock jumps', async () => {
    const service = await Service.start()
    // The fast clock makes a jump of the machine's clock as many times as long.
    const wall = JUMPS.map(([afterMs, byMs]) => [afterMs, byMs / SPEED] as const)
    const work = capped(service, 900, suffering({ wall }))
    await exits(0, work.run())
    work.judge()
  })

  test('sends no burst after it was stopped for a while, as by a closed lid', async () => {
    const service = await Service.start()
    const work = capped(service, 900)
    const cli = work.start()
    for (const requests of [10, 40]) {
      await vi.waitFor(() => expect(service.requests.length).toBeGreaterThan(requests), {
        timeout: patience(30_000),
      })
      cli.kill('SIGSTOP')
      // Another import finds the place taken, also while the process that has it is stopped.
      await exits(7, work.run())
      cli.kill('SIGCONT')
    }
    await exits(0, cli.ended)
    await exits(0, work.run())
    work.judge()
  })
})
