import { expect, onTestFinished, test } from 'vitest'
import { holdAgainstReport } from '../../../src/commands/export/hold.ts'
import { Secret } from '../../../src/http/secret.ts'
import { utcTime } from '../../../src/options/values.ts'
import { amplitudeOrder } from '../../../src/sources/amplitude/amplitude.ts'
import { ExportState } from '../../../src/sources/export-state.ts'
import { mixpanelOrder } from '../../../src/sources/mixpanel/mixpanel.ts'
import { posthogOrder } from '../../../src/sources/posthog/posthog.ts'
import type { ExportOrder } from '../../../src/sources/source.ts'
import { basic, bearer } from '../../../src/sources/vendor-client.ts'
import { windowsOf } from '../../../src/sources/window.ts'
import { LocalStore } from '../../../src/store/local.ts'
import { MS_PER_DAY } from '../../../src/text/units.ts'
import { FakeClock } from '../../helpers/fake-clock.ts'
import { FakeAmplitude } from '../../helpers/vendors/amplitude.ts'
import type { FakeVendor, MischiefKind } from '../../helpers/vendors/fake.ts'
import { FakeMixpanel } from '../../helpers/vendors/mixpanel.ts'
import { FakePostHog } from '../../helpers/vendors/posthog.ts'
import { exportInto, freshFolder } from '../../sources/harness.ts'

const FROM = utcTime('2024-03-01')
const NOW = FROM + 100 * MS_PER_DAY
const windows = windowsOf(FROM, FROM + 10 * MS_PER_DAY, MS_PER_DAY)
const secret = (text: string) => new Secret(text, 'a test')
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
    (url) =>
      mixpanelOrder({
        hosts: { data: url, query: url },
        region: 'us',
        credentials: basic(secret('service-user'), secret('service-secret')),
        projectId: '42',
        events: [],
        windows,
        profiles: [],
        limits: [],
        quietMs: 200,
        clock: new FakeClock(NOW),
      }),
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
    (url) =>
      amplitudeOrder({
        host: url,
        region: 'us',
        credentials: basic(secret('api-key'), secret('secret-key')),
        keyFingerprint: 'abc',
        windows,
        spanMs: MS_PER_DAY,
        limits: [],
        quietMs: 200,
        clock: new FakeClock(NOW),
      }),
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
    (url) =>
      posthogOrder({
        host: url,
        projectId: '7',
        credentials: bearer(secret('phx_source_key')),
        windows,
        spanMs: MS_PER_DAY,
        persons: false,
        groups: undefined,
        limits: [],
        quietMs: 200,
        clock: new FakeClock(NOW),
      }),
  ],
}

async function heldAgainst(vendor: string, kind: MischiefKind, times?: number) {
  const [fake, orderFrom] = VENDORS[vendor]!()
  onTestFinished(() => fake.close())
  await fake.start()
  const store = new LocalStore(await freshFolder())
  const order = orderFrom(fake.url)
  await exportInto(store, order, { now: NOW })
  const state = await ExportState.open(store, order.identity)
  const source = order.open(state.memory)
  onTestFinished(() => source.close())
  const before = fake.seen.length
  fake.mischief = [{ kind, rate: 1, ...(times !== undefined && { times }) }]
  const { signal } = new AbortController()
  const clock = new FakeClock(NOW)
  const { verdict } = await holdAgainstReport({
    source,
    store,
    state,
    call: {
      signal,
      retry: { signal, clock, retryForMs: 3_600_000, random: () => 0.5 },
      scratch: (name) => name,
      note: () => {},
    },
    progress: { note() {}, retrying() {} } as unknown as Parameters<typeof holdAgainstReport>[0]['progress'],
  })
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
    verdict: { found: { short: [], days: 10 } },
  })
})
