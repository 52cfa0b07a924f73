import { join } from 'node:path'
import { expect, test } from 'vitest'
import { uuidV5 } from '../../src/record/uuid.ts'
import { runHosted } from '../helpers/command-host.ts'
import { exits } from '../helpers/exits.ts'
import { exportUnderKills } from '../helpers/export-kills.ts'
import { testFolder } from '../helpers/folder.ts'
import { kills } from '../helpers/kills.ts'
import { seeded, seedOf } from '../helpers/random.ts'
import { testSandbox } from '../helpers/sandbox-env.ts'
import { started } from '../helpers/started.ts'
import { type AmplitudeEvent, FakeAmplitude } from '../helpers/vendors/amplitude.ts'
import type { FakeVendor, Mischief } from '../helpers/vendors/fake.ts'
import { FakeMixpanel, MIXPANEL_ENV, type MixpanelEvent } from '../helpers/vendors/mixpanel.ts'
import { FakePostHog, type PostHogRow } from '../helpers/vendors/posthog.ts'
import { FakeDownloads } from '../helpers/vendors/posthog-downloads.ts'

const seed = seedOf('kill export')
const FROM = Date.UTC(2024, 2, 1)
const DAY = 86_400_000
const HOUR = 3_600_000
const EVENTS = 600
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

/** A vendor with a history, the command line that exports it, and what the service must hold of it in the end. */
interface Scenario {
  readonly fake: FakeVendor
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly wanted: readonly Held[]
}

function sorted(held: readonly Held[]): string[] {
  return held.map((one) => one.join(' ')).sort()
}

/** Transforms a raw dataset, imports it into a sandbox, and returns what that holds. */
async function carried(vendor: string, raw: string): Promise<Held[]> {
  const events = join(testFolder(), 'events')
  await exits(0, runHosted([...['transform', '--preset', vendor, '--in', raw, '--out', events, '--json']]))
  const sandbox = await testSandbox()
  const env = { POSTHOG_HOST: sandbox.url, POSTHOG_PROJECT_API_KEY: sandbox.projectKey }
  await exits(
    0,
    runHosted(['import', '--dataset', events, '--max-events-per-minute', '1000000', '--approved'], env),
  )
  const { results } = await sandbox.query('SELECT uuid, event, distinct_id, timestamp FROM events')
  return results.map(([uuid, event, distinctId, time]) => {
    return [String(uuid), String(event), String(distinctId), new Date(String(time)).toISOString()]
  })
}

async function mixpanel(seed: number): Promise<Scenario> {
  const random = seeded(seed)
  const events = Array.from({ length: EVENTS }, (_, i): MixpanelEvent => {
    const time = FROM + Math.floor(random() * 12 * DAY)
    return {
      event: ['Signed Up', 'Plan Chosen', 'Füße ✓'][i % 3]!,
      properties: { time, distinct_id: `u${i % 40}`, $insert_id: `id-${i}` },
    }
  })
  const mischief: Mischief[] = [{ kind: 'terminated', rate: 0.1 }, ...MISCHIEF]
  const fake = await started(new FakeMixpanel({ events, seed, mischief }))
  const quick = ['--base-url', fake.url, '--requests-per-hour', '100000']
  return {
    fake,
    argv: ['--from', '2024-03-01', '--to', '2024-03-13', ...quick],
    env: MIXPANEL_ENV,
    wanted: events.map(({ event, properties: { time, distinct_id: id, $insert_id: own } }): Held => {
      return [uuidV5(NAMESPACE, String(own)), event, String(id), new Date(time).toISOString()]
    }),
  }
}

async function amplitude(seed: number): Promise<Scenario> {
  const random = seeded(seed)
  const wanted: Held[] = []
  const events = Array.from({ length: EVENTS }, (_, i): AmplitudeEvent => {
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
  const mischief: Mischief[] = [{ kind: 'timeout', rate: 0.05 }, ...MISCHIEF]
  const fake = await started(new FakeAmplitude({ events, seed, mischief, mostEvents: 36 }))
  return {
    fake,
    argv: ['--from', '2024-03-01', '--to', '2024-03-03', '--window', '2h', '--base-url', fake.url],
    env: { AMPLITUDE_API_KEY: 'api-key', AMPLITUDE_SECRET_KEY: 'secret-key' },
    wanted,
  }
}

function posthogRows(seed: number): { readonly events: PostHogRow[]; readonly wanted: Held[] } {
  const random = seeded(seed)
  const wanted: Held[] = []
  const events = Array.from({ length: EVENTS }, (_, i): PostHogRow => {
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
  return { events, wanted }
}

async function posthog(seed: number): Promise<Scenario> {
  const { events, wanted } = posthogRows(seed)
  const fake = await started(new FakePostHog({ events, seed, mischief: MISCHIEF, mostScanned: 40 }))
  return {
    fake,
    argv: ['--from', '2024-03-01', '--to', '2024-03-07'],
    env: {
      POSTHOG_SOURCE_HOST: fake.url,
      POSTHOG_SOURCE_PROJECT_ID: '7',
      POSTHOG_SOURCE_API_KEY: 'phx_source_key',
    },
    wanted,
  }
}

async function downloads(seed: number): Promise<Scenario> {
  const { events, wanted } = posthogRows(seed)
  const fake = await started(
    new FakeDownloads({
      events,
      seed,
      mischief: MISCHIEF,
      now: () => Date.now(),
      fileRows: 80,
      inserted: (row) => Date.parse(`${row.timestamp.slice(0, 23).replace(' ', 'T')}Z`) + 0.1 * DAY,
      statuses: (run) => (run % 3 === 0 ? ['Starting', 'Completed'] : ['Completed']),
    }),
  )
  fake.storage.mischief = MISCHIEF
  fake.tooMany = 2
  fake.expired = 2
  return {
    fake,
    argv: ['--from', '2024-03-01', '--to', '2024-03-07', '--via', 'downloads'],
    env: {
      POSTHOG_SOURCE_HOST: fake.url,
      POSTHOG_SOURCE_PROJECT_ID: '7',
      POSTHOG_SOURCE_API_KEY: 'phx_source_key',
    },
    wanted,
  }
}

/** By the names of the vendors and, of one, the way. */
const SCENARIOS = { mixpanel, amplitude, posthog, 'posthog downloads': downloads }
const KILLS = kills({ few: 1, many: 6 })

test.each(Object.entries(SCENARIOS))(
  `%s through kills (${KILLS}) and all its moods arrives event for event`,
  async (name, scenario) => {
    const vendor = name.split(' ')[0]!
    const { fake, argv, env, wanted } = await scenario(seed)
    const raw = join(testFolder(), 'raw')
    await exportUnderKills({
      argv: ['export', vendor, ...argv, '--out', raw],
      env,
      fake,
      random: seeded(seed),
      kills: KILLS,
    })
    expect(sorted(await carried(vendor, raw))).toEqual(sorted(wanted))
  },
)
