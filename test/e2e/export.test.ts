import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type TestContext, test } from 'vitest'
import { uuidV5 } from '../../src/record/uuid.ts'
import { startSandbox } from '../../src/sandbox/sandbox.ts'
import { runCli } from '../helpers/cli-process.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { seeded } from '../helpers/random.ts'
import { type AmplitudeEvent, FakeAmplitude } from '../helpers/vendors/amplitude.ts'
import type { FakeVendor, Mischief } from '../helpers/vendors/fake.ts'
import { FakeMixpanel, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'
import { FakePostHog, type PostHogRow } from '../helpers/vendors/posthog.ts'

const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 1e6))
const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
const HOUR = 3_600_000
const NAMESPACE = '706f7374-686f-675f-6d69-7870616e656c'

/** What the service must hold in the end: uuid, event, distinct_id and time of each event, no more and no less. */
type Held = readonly [uuid: string, event: string, distinctId: string, time: string]

const MISCHIEF: readonly Mischief[] = [
  { kind: 'storm', rate: 0.05 },
  { kind: 'busy', rate: 0.05 },
  { kind: 'html', rate: 0.05 },
  { kind: 'drop', rate: 0.1 },
  { kind: 'cut', rate: 0.1 },
  { kind: 'drip', rate: 0.2 },
]

type Finish = Pick<TestContext, 'onTestFinished'>

function folder({ onTestFinished }: Finish): string {
  const path = mkdtempSync(join(tmpdir(), 'posthaul-e2e-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

async function started<T extends FakeVendor>(fake: T, { onTestFinished }: Finish): Promise<T> {
  onTestFinished(() => fake.close())
  return fake.start()
}

function sorted(held: readonly Held[]): string[] {
  return held.map((one) => one.join(' ')).sort()
}

/** Transforms a raw dataset, imports it into a sandbox, and returns what that holds. */
async function carried(vendor: string, raw: string, context: Finish): Promise<Held[]> {
  const events = join(folder(context), 'events')
  const transformed = await runCli(['transform', '--preset', vendor, '--in', raw, '--out', events, '--json'])
  expect(transformed.code, transformed.stderr).toBe(0)
  const sandbox = await startSandbox()
  context.onTestFinished(() => sandbox.close())
  const env = { POSTHOG_HOST: sandbox.url, POSTHOG_PROJECT_API_KEY: sandbox.projectKey }
  const imported = await runCli(
    ['import', '--dataset', events, '--max-events-per-minute', '1000000', '--approved'],
    env,
  )
  expect(imported.code, imported.stderr).toBe(0)
  const { results } = await sandbox.query('SELECT uuid, event, distinct_id, timestamp FROM events')
  return results.map(([uuid, event, distinctId, time]) => {
    return [String(uuid), String(event), String(distinctId), new Date(String(time)).toISOString()]
  })
}

function mixpanelEvents(): MixpanelEvent[] {
  const random = seeded(SEED)
  return Array.from({ length: 1500 }, (_, i) => ({
    event: ['Signed Up', 'Plan Chosen', 'Füße ✓'][i % 3]!,
    properties: {
      time: FROM + Math.floor(random() * 12 * DAY),
      distinct_id: `u${i % 40}`,
      $insert_id: `id-${i}`,
    },
  }))
}

test.concurrent('Mixpanel, through 30 kills and all its moods, arrives event for event', {
  timeout: 60_000,
}, async (context) => {
  console.log(`seed ${SEED}`)
  const events = mixpanelEvents()
  const terminated: Mischief = { kind: 'terminated', rate: 0.1 }
  const fake = await started(
    new FakeMixpanel({ events, seed: SEED, mischief: [terminated, ...MISCHIEF] }),
    context,
  )
  const raw = join(folder(context), 'raw')
  const argv = ['export', 'mixpanel', '--from', '2024-03-01', '--to', '2024-03-13', '--out', raw]
  const env = {
    MIXPANEL_PROJECT_ID: '42',
    MIXPANEL_SERVICE_ACCOUNT: 'service-user',
    MIXPANEL_SERVICE_SECRET: 'service-secret',
  }
  const quick = ['--base-url', fake.url, '--requests-per-hour', '100000']
  await exportUnderKills({ argv: [...argv, ...quick], env, fake, random: seeded(SEED + 1) })
  const wanted = events.map(({ event, properties: { time, distinct_id: id, $insert_id: own } }): Held => {
    return [uuidV5(NAMESPACE, String(own)), event, String(id), new Date(time).toISOString()]
  })
  expect(sorted(await carried('mixpanel', raw, context))).toEqual(sorted(wanted))
})

test.concurrent('Amplitude, through 30 kills and all its moods, arrives event for event', {
  timeout: 60_000,
}, async (context) => {
  const random = seeded(SEED)
  const wanted: Held[] = []
  const events = Array.from({ length: 1500 }, (_, i): AmplitudeEvent => {
    const time = new Date(FROM + Math.floor(random() * 48) * HOUR + Math.floor(random() * HOUR)).toISOString()
    const text = time.slice(0, 23).replace('T', ' ')
    const uuid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    wanted.push([uuid, 'Plan Chosen', `user-${i % 30}`, time])
    return {
      uuid,
      event_type: 'Plan Chosen',
      user_id: `user-${i % 30}`,
      event_time: `${text}000`,
      server_upload_time: `${text}000`,
      event_properties: { n: i },
    }
  })
  const timeout: Mischief = { kind: 'timeout', rate: 0.05 }
  const options = { events, seed: SEED, mischief: [timeout, ...MISCHIEF], mostEvents: 90 }
  const fake = await started(new FakeAmplitude(options), context)
  const raw = join(folder(context), 'raw')
  const argv = [
    'export',
    'amplitude',
    '--from',
    '2024-03-01',
    '--to',
    '2024-03-03',
    '--window',
    '2h',
    '--out',
    raw,
  ]
  const env = { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' }
  await exportUnderKills({ argv: [...argv, '--base-url', fake.url], env, fake, random: seeded(SEED + 2) })
  expect(sorted(await carried('amplitude', raw, context))).toEqual(sorted(wanted))
})

test.concurrent('PostHog, through 30 kills and all its moods, arrives event for event', {
  timeout: 60_000,
}, async (context) => {
  const random = seeded(SEED)
  const wanted: Held[] = []
  const events = Array.from({ length: 1500 }, (_, i): PostHogRow => {
    const time = new Date(FROM + Math.floor(random() * 5000) * Math.floor((6 * DAY) / 5000)).toISOString()
    const uuid = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`
    wanted.push([uuid, '$pageview', `user-${i % 30}`, time])
    return {
      uuid,
      event: '$pageview',
      distinct_id: `user-${i % 30}`,
      timestamp: `${time.slice(0, 23).replace('T', ' ')}000`,
      properties: `{"n": ${i}}`,
    }
  })
  const options = { events, seed: SEED, mischief: MISCHIEF, mostScanned: 100 }
  const fake = await started(new FakePostHog(options), context)
  const raw = join(folder(context), 'raw')
  const argv = ['export', 'posthog', '--from', '2024-03-01', '--to', '2024-03-07', '--out', raw]
  const env = {
    POSTHOG_SOURCE_HOST: fake.url,
    POSTHOG_SOURCE_PROJECT_ID: '7',
    POSTHOG_SOURCE_API_KEY: 'phx_source_key',
  }
  await exportUnderKills({ argv, env, fake, random: seeded(SEED + 3) })
  expect(sorted(await carried('posthog', raw, context))).toEqual(sorted(wanted))
})
