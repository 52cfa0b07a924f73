import { expect, test } from 'vitest'
import { holdAgainstReport } from '../../../src/commands/export/hold.ts'
import { utcTime } from '../../../src/options/values.ts'
import type { ExportOrder } from '../../../src/sources/source.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { FakeAmplitude } from '../../helpers/vendors/amplitude.ts'
import type { FakeVendor, MischiefKind } from '../../helpers/vendors/fake.ts'
import { FakeMixpanel } from '../../helpers/vendors/mixpanel.ts'
import { FakePostHog } from '../../helpers/vendors/posthog.ts'
import { asking, exportInto, freshStore, started } from '../../sources/harness.ts'
import { amplitudeFrom, mixpanelFrom, posthogFrom } from '../../sources/orders.ts'

const FROM = utcTime('2024-03-01')
const NOW = FROM + 100 * MS_PER_DAY
const asked = () => ({
  windows: windowsOf(FROM, FROM + 10 * MS_PER_DAY, MS_PER_DAY),
  quietMs: 200,
  clock: new FakeClock(NOW),
})
const textOf = (time: number) => `${new Date(time).toISOString().slice(0, 23).replace('T', ' ')}000`
const each = <T>(make: (i: number, time: number) => T) =>
  Array.from({ length: 40 }, (_, i) => make(i, FROM + Math.floor((i * MS_PER_DAY) / 4)))

/** A vendor with ten days of events, and what exports them. The silence that is waited for is short. */
const VENDORS: Readonly<Record<string, () => readonly [FakeVendor, (url: string) => ExportOrder]>> = {
  Mixpanel: () => [
    new FakeMixpanel({
      events: each((i, time) => ({
        event: 'E',
        properties: { time, distinct_id: 'u', $insert_id: `i${i}` },
      })),
    }),
    (url) => mixpanelFrom(url, asked()),
  ],
  Amplitude: () => [
    new FakeAmplitude({
      events: each((i, time) => {
        return {
          server_upload_time: textOf(time),
          event_time: textOf(time),
          event_type: 'E',
          $insert_id: `i${i}`,
        }
      }),
    }),
    (url) => amplitudeFrom(url, asked()),
  ],
  PostHog: () => [
    new FakePostHog({
      events: each((i, time) => ({
        uuid: `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`,
        event: 'E',
        timestamp: textOf(time),
        distinct_id: 'u',
        properties: '{}',
      })),
    }),
    (url) => posthogFrom(url, asked()),
  ],
}

async function heldAgainst(vendor: string, kind: MischiefKind, times?: number) {
  const [fake, orderFrom] = VENDORS[vendor]!()
  await started(fake)
  const store = freshStore()
  const order = orderFrom(fake.url)
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

const NONSENSE: readonly MischiefKind[] = ['html', 'busy', 'timeout', 'cut', 'drop', 'shape']
const cases = Object.keys(VENDORS).flatMap((vendor) => NONSENSE.map((kind) => [vendor, kind] as const))
// One is enough: the silence is noticed below all of them.
const silent = ['Amplitude', 'silent'] as const

test.each([...cases, silent])(
  'a report of %s that answers "%s" leaves the export unchecked after five tries',
  async (...of) => {
    const { verdict, asked, waitedMs } = await heldAgainst(...of)
    expect(verdict).toMatchObject({
      asked: true,
      reason: expect.stringMatching(new RegExp(`${of[0]}|^http`)),
    })
    expect(asked).toBeLessThanOrEqual(5)
    expect(waitedMs).toBeLessThan(30_000)
  },
)

test('a report that says "later" is asked again for as long as the user allows', async () => {
  expect(await heldAgainst('Mixpanel', 'storm', 12)).toMatchObject({
    verdict: { short: [], days: 10 },
  })
})
