import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { kills } from '../helpers/kills.ts'
import { ROOT } from '../helpers/markdown.ts'
import { seedOf } from '../helpers/seed.ts'

const run = promisify(execFile)
const MAIN = join(ROOT, 'test/faults/dist/test/faults/soak/main.js')

const RECORDS = kills({ few: 1500, many: 10_000 })
const KILLS = kills({ few: 2, many: 4 })
/** By day the faults of a bucket are left to test/e2e/state.test.ts and test/ci/container.test.ts. */
const STORES = ['disk', 's3'].slice(0, kills({ few: 1, many: 2 }))
const seed = seedOf('soak')

// Compiled by `npm run build:faults`. `npm run soak` is the same with ten million records.
test.each(STORES)(
  `${RECORDS} records survive ${KILLS} kills of transform and of import, and faults of the service and of %s`,
  async (store) => {
    const options = {
      events: RECORDS,
      seed,
      store,
      'kill-every': '800ms',
      'most-kills': KILLS,
      'batch-events': 25,
      faults: 0.05,
    }
    const argv = Object.entries(options).map(([name, value]) => `--${name}=${value}`)
    const { stdout, stderr } = await run(process.execPath, [MAIN, ...argv]).catch(
      (failed: { stdout: string; stderr: string }) => failed,
    )
    expect(stdout, stderr).toContain('\nheld: nothing lost, doubled, bent or out of order\n')
    // That no request failed would prove nothing.
    if (store === 's3') expect(stdout).toMatch(/\n {2}bucket +[\d,]+, [1-9][\d,]* of them with a fault\n/)
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  },
)
