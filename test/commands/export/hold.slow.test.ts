import { expect, test } from 'vitest'
import { holdAgainstReport } from '../../../src/commands/export/hold.ts'
import { utcTime } from '../../../src/options/values.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import type { MischiefKind } from '../../helpers/vendors/fake.ts'
import { FakeMixpanel } from '../../helpers/vendors/mixpanel.ts'
import { asking, exportInto, freshStore, started } from '../../sources/harness.ts'
import { mixpanelFrom } from '../../sources/orders.ts'

const FROM = utcTime('2024-03-01')
const NOW = FROM + 100 * MS_PER_DAY
const DAYS = 10
const time = (i: number) => FROM + Math.floor((i * MS_PER_DAY) / 4)

/** What becomes of an export whose vendor answers questions about its counts this way. */
async function heldAgainst(kind: MischiefKind, times?: number) {
  const events = Array.from({ length: 4 * DAYS }, (_, i) => {
    return { event: 'E', properties: { time: time(i), distinct_id: 'u', $insert_id: `i${i}` } }
  })
  const fake = new FakeMixpanel({ events })
  await started(fake)
  const store = freshStore()
  const windows = windowsOf(FROM, FROM + DAYS * MS_PER_DAY, MS_PER_DAY)
  // The silence that is waited for is short.
  const order = mixpanelFrom(fake.url, { windows, quietMs: 200, clock: new FakeClock(NOW) })
  await exportInto(store, order, { now: NOW })
  const before = fake.seen.length
  fake.mischief = [{ kind, rate: 1, ...(times !== undefined && { times }) }]
  const clock = new FakeClock(NOW)
  const progress = { note() {}, retrying() {} } as unknown as Parameters<
    typeof holdAgainstReport
  >[0]['progress']
  const { verdict } = await asking(store, order, { clock, retryForMs: 3_600_000, random: 0.5 }, (asked) =>
    holdAgainstReport({ ...asked, progress }),
  )
  return { verdict, asked: fake.seen.length - before, waitedMs: clock.now() - NOW }
}

// What each vendor's report makes of such answers is tried by the faults of endpoints.
test.each(['html', 'busy', 'timeout', 'cut', 'drop', 'shape', 'silent'] as const)(
  'a report that answers "%s" leaves the export unchecked after five tries',
  async (kind) => {
    const { verdict, asked, waitedMs } = await heldAgainst(kind)
    expect(verdict).toMatchObject({ asked: true, reason: expect.stringMatching(/Mixpanel|^http/) })
    expect(asked).toBeLessThanOrEqual(5)
    expect(waitedMs).toBeLessThan(30_000)
  },
)

test('a report that says "later" is asked again for as long as the user allows', async () => {
  expect(await heldAgainst('storm', 12)).toMatchObject({
    verdict: { short: [], days: 10 },
  })
})
