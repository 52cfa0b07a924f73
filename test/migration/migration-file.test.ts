import { describe, expect, test } from 'vitest'
import { parseMigration } from '../../src/migration/migration-file.ts'

const SOURCE = `source:
  mixpanel:
    from: 2024-01-01
    to: 2024-02-01
`
const REST = `store: store
target: { region: eu }
`
const parse = (text: string, env = {}) => parseMigration(text, 'migration.yaml', env)

test('reads everything a migration file can say', () => {
  const migration = parse(
    `
$schema: ./migration.schema.json
source:
  mixpanel:
    from: 2024-01-01
    project_id: 123
    region: eu
    event: [Signed Up, "404"]
    profiles: true
    requests_per_hour: 30
mapping:
  file: mapping.yaml
  source_timezone: Europe/Vienna
  with: [keep-session-events]
  join: { users: users.csv }
  max_reject_ratio: 0.05
  gzip: true
store:
  at: s3://bucket/prefix/
  single_writer: true
target:
  host: https://posthog.example.com
  ingest_host: https://events.example.com
  project_id: "7"
caps: { events: 50_000_000, events_per_minute: 20000 }
approval: { reference: ticket 12, events: 60000000, events_per_minute: 20000 }
import: { lanes: 4, via: v1, keep_persons: no }
verify: { sample: all }
schedule: daily
notifications: { webhook: https://chat.example.com/abc, log_format: json }
`.replace('50_000_000', '50000000'),
  )
  expect(migration).toEqual({
    source: {
      kind: 'vendor',
      vendor: 'mixpanel',
      from: Date.UTC(2024, 0, 1),
      to: undefined,
      env: { MIXPANEL_PROJECT_ID: '123' },
      settings: { region: 'eu', event: ['Signed Up', '404'], profiles: true, requests_per_hour: '30' },
    },
    mapping: {
      file: 'mapping.yaml',
      presetFile: undefined,
      join: { users: 'users.csv' },
      settings: {
        preset: 'mixpanel',
        source_timezone: 'Europe/Vienna',
        with: ['keep-session-events'],
        max_reject_ratio: '0.05',
        gzip: true,
      },
    },
    store: { at: 's3://bucket/prefix', single_writer: true },
    target: {
      region: undefined,
      host: 'https://posthog.example.com',
      ingest_host: 'https://events.example.com',
      project_id: '7',
    },
    caps: { events: 50_000_000, eventsPerMinute: 20_000, approved: true },
    approval: { reference: 'ticket 12', events: 60_000_000, events_per_minute: 20_000 },
    import: { lanes: '4', via: 'v1', keep_persons: 'no' },
    verify: { wait: '10m', sample: 'all' },
    isScheduled: true,
    notifications: { webhook: 'https://chat.example.com/abc', log_format: 'json' },
  })
})

describe('a mistake is named with its place', () => {
  const mixpanel = (text: string) => `source: { mixpanel: { ${text} } }\n${REST}`
  const files = (more: string) => `source: { files: [data/] }\n${more}${REST}`
  const whole = (more: string) => `${SOURCE}${REST}${more}\n`
  const granted = 'approval: { reference: r, events: 40000000, events_per_minute: 10000 }'
  const january = 'from: 2024-01-01, to: 2024-02-01'
  test.each([
    ['', '1:1: source: is missing'],
    [SOURCE, 'store: is missing'],
    [whole('tarjet: {}'), '7:1: unknown key "tarjet"'],
    [mixpanel(`${january}, regoin: eu`), 'unknown key "regoin"'],
    [mixpanel(`${january}, region: xx`), 'source.mixpanel.region'],
    [mixpanel('from: 2024-02-30, to: 2024-03-01'), 'expected a UTC time such as 2024-03-01'],
    [mixpanel('from: 2024-02-01, to: 2024-01-01'), 'source.mixpanel.to: is not after from'],
    [mixpanel('from: 2024-02-01'), 'source.mixpanel: has no end'],
    [mixpanel('to: 2024-02-01'), 'source.mixpanel.from'],
    [
      `${SOURCE}  files: [a]\n${REST}`,
      'source: expected one of mixpanel, amplitude, matomo, posthog, command, files',
    ],
    [files(''), 'files need a mapping'],
    [files('mapping: { preset: ga4 }\nschedule: daily\n'), 'schedule: a schedule needs'],
    [`${SOURCE}store: { at: x, sigle_writer: true }\ntarget: { region: eu }\n`, 'unknown key "sigle_writer"'],
    [`${SOURCE}store: x\ntarget: { region: eu, host: a.example }\n`, 'target: expected a region'],
    [`${SOURCE}store: x\ntarget: {}\n`, 'target: expected a region'],
    [whole('caps: { events: 20000001 }'), 'caps.events: is over 20,000,000, which the service must approve'],
    [whole('caps: { events_per_minute: 10001 }'), 'caps.events_per_minute: is over 10,000'],
    [whole('caps: { events_per_minute: 9 }\nimport: { lanes: 8 }'), 'caps.events_per_minute: is under '],
    [
      whole(`caps: { events: 40000001 }\n${granted}`),
      'caps.events: is over 40,000,000, which the service must',
    ],
    [whole('approval: { reference: r }'), 'approval.events'],
    [whole('import: { lanes: 65 }'), 'import.lanes: expected a whole number from 1 to 64'],
  ])('%j', (text, message) => {
    expect(() => parse(text)).toThrow(
      expect.objectContaining({ code: 'config', message: expect.stringContaining(message) }),
    )
  })

  test('an unknown key brings the one that was meant', () => {
    expect(() => parse(`${SOURCE}${REST}imprt: {}\n`)).toThrow(
      expect.objectContaining({ hint: 'did you mean "import"?' }),
    )
    const nested = `${SOURCE}store: { at: x, sigle_writer: true }\ntarget: { region: eu }\n`
    expect(() => parse(nested)).toThrow(expect.objectContaining({ hint: 'did you mean "single_writer"?' }))
  })
})

test('without an approval the caps are those that need none, and a grant beyond them is the cap', () => {
  expect(parse(SOURCE + REST).caps).toEqual({ events: 20_000_000, eventsPerMinute: 10_000, approved: false })
  const granted = `${SOURCE}${REST}approval: { reference: r, events: 40000000, events_per_minute: 10000 }\n`
  expect(parse(granted).caps).toEqual({ events: 40_000_000, eventsPerMinute: 10_000, approved: true })
})

test('a key is refused wherever it is in the file, and not repeated', () => {
  const key = `phx_${'a1B2'.repeat(10)}`
  for (const text of [`${SOURCE}${REST}# ${key}\n`, `${SOURCE}store: x\ntarget: { region: ${key} }\n`]) {
    const failure = (() => {
      try {
        return parse(text)
      } catch (error) {
        return error as Error
      }
    })()
    expect(failure).toMatchObject({ code: 'config', message: expect.stringContaining('contains a key') })
    expect(JSON.stringify(failure, Object.getOwnPropertyNames(failure))).not.toContain(key)
  }
})
