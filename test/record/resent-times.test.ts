import { describe, expect, test } from 'vitest'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { amplitude } from '../../src/presets/amplitude.ts'
import { events } from '../../src/presets/events.ts'
import { mixpanel } from '../../src/presets/mixpanel.ts'
import { posthog } from '../../src/presets/posthog.ts'
import { segment } from '../../src/presets/segment.ts'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { meetingOf } from '../../src/record/merging.ts'
import { parseTime } from '../../src/record/time.ts'
import { AT_2026 } from '../helpers/mapper.ts'

// Two sends of one record merge only at the same microsecond. Each row changes one thing between them. Where that gives the
// event another time, its dataset has another print of times, by which transform, import, check and verify tell that it is not
// what was sent (test/e2e/two-rules.test.ts). Rules of another version are refused before: test/delivery/rules-guard.test.ts.

interface Sent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
}

interface Row {
  readonly preset?: Preset
  readonly record?: object
  readonly change?: object
  readonly zones?: readonly [string | undefined, string | undefined]
  readonly formats?: readonly [readonly string[], readonly string[]]
  readonly days?: number
}

const DAY = 86_400_000_000
const MIXPANEL = { event: 'buy', properties: { distinct_id: 'u', $insert_id: 'i', time: 1_709_300_000 } }
const AMPLITUDE = {
  event_type: 'buy',
  user_id: 'u',
  event_id: 1,
  event_time: '2024-03-01 12:00:00.5',
  $insert_id: 'i',
}
const SEGMENT = {
  type: 'track',
  event: 'buy',
  userId: 'u',
  messageId: 'm',
  timestamp: '2024-03-01T12:00:00.5Z',
}
const POSTHOG = {
  ...{ uuid: '018f3c6e-1c2b-7a10-9f00-0123456789ab', event: 'buy', distinct_id: 'u' },
  ...{ timestamp: '2024-03-01T12:00:00.123Z', properties: {} },
}
const BASE = new Map<Preset, object>([
  [mixpanel, MIXPANEL],
  [amplitude, AMPLITUDE],
  [segment, SEGMENT],
  [posthog, POSTHOG],
])

function sent(
  preset: Preset,
  record: object,
  zone: string | undefined,
  timeFormats: readonly string[],
  days: number,
): Sent {
  const now = Date.UTC(2026, 0, 1) * 1000 + days * DAY
  const options = { ...AT_2026, now }
  const mapper = new Mapper(preset, { ...NO_MAPPING, sourceTimezone: zone, timeFormats }, options)
  const line = Buffer.from(JSON.stringify(record))
  const found = mapper.map(line, 0, line.length)
  if (found.status !== 'event') throw new Error(JSON.stringify(found))
  return JSON.parse(found.text) as Sent
}

/** The fingerprint of a dataset of one event, by which a dataset is told from what it was. */
function printOf({ uuid, timestamp }: Sent): string {
  const print = new Fingerprint()
  print.addTexts(uuid, 'u1', 'Signed Up', parseTime(timestamp))
  return print.text.sum[0]
}

function both({
  preset = posthog,
  record,
  change = {},
  zones = [undefined, undefined],
  formats = [[], []],
  days = 0,
}: Row): [Sent, Sent] {
  const first = record ?? BASE.get(preset)!
  return [
    sent(preset, first, zones[0], formats[0], 0),
    sent(preset, { ...first, ...change }, zones[1], formats[1], days),
  ]
}
const props = (more: object) => ({ properties: { ...MIXPANEL.properties, ...more } })
const WALL = { preset: events, record: { ...POSTHOG, timestamp: '03/04/2024 10:00:00' } }
const CLOCKS = {
  ...{ client_event_time: '2024-03-01 12:00:09', client_upload_time: '2024-03-02 12:00:19' },
  ...{ server_upload_time: '2024-03-02 12:00:09', processed_time: '2024-03-02 13:00:00' },
}
const SENT = { sentAt: '2024-03-01T12:00:09Z', receivedAt: '2024-03-01T12:01:09Z' }

const met = ({ distinct_id: distinctId, ...rest }: Sent) => ({ ...rest, distinctId })

describe('goes out at the same microsecond, whatever', () => {
  test.each<[string, Row]>([
    ['offset its time is written with', { change: { timestamp: '2024-03-01T13:00:00.123+01:00' } }],
    [
      'digits it has below the millisecond, zeros all',
      { change: { timestamp: '2024-03-01 12:00:00.123000' } },
    ],
    ['it has below the microsecond', { change: { timestamp: '2024-03-01T12:00:00.123000999Z' } }],
    ['time it was sent at', { change: { sent_at: '2024-03-01T12:05:00Z' } }],
    ['offset a client told', { change: { offset: 5000 } }],
    ['$sent_at the service noted', { change: { properties: { $sent_at: '2024-03-01T12:05:00Z' } } }],
    ['correction its options ask for', { change: { options: { disable_skew_correction: false } } }],
    ['zone is named, where its time has an offset', { zones: [undefined, 'Europe/Vienna'] }],
    ['day it is transformed on', { days: 400 }],
    ['unit Mixpanel writes: milliseconds', { preset: mixpanel, change: props({ time: 1_709_300_000_000 }) }],
    [
      'unit Mixpanel writes: microseconds',
      { preset: mixpanel, change: props({ time: 1_709_300_000_000_000 }) },
    ],
    ['type Mixpanel writes: text', { preset: mixpanel, change: props({ time: '1709300000' }) }],
    [
      'time Mixpanel processed it at',
      { preset: mixpanel, change: props({ mp_processing_time_ms: 1_709_300_900_000 }) },
    ],
    ['clocks Amplitude tells of', { preset: amplitude, change: CLOCKS }],
    ['clocks Segment tells of', { preset: segment, change: SENT }],
  ])('%s', (_, row) => {
    const [one, other] = both(row)
    expect(meetingOf(met(one), met(other))).toBe('merges')
    expect(printOf(one)).toBe(printOf(other))
  })
})

describe('goes out at another time, and is told by the print of the times:', () => {
  test.each<[string, Row]>([
    ['microseconds in place of milliseconds', { change: { timestamp: '2024-03-01T12:00:00.123456Z' } }],
    [
      'a zone for a time without an offset',
      { record: { ...POSTHOG, timestamp: '2024-03-01 12:00:00' }, zones: [undefined, 'Europe/Vienna'] },
    ],
    ['another form of times', { ...WALL, formats: [['MM/DD/YYYY HH:mm:ss'], ['DD/MM/YYYY HH:mm:ss']] }],
    [
      'Mixpanel in milliseconds in place of seconds',
      { preset: mixpanel, change: props({ time: 1_709_300_000_123 }) },
    ],
    ["the zone of Mixpanel's project", { preset: mixpanel, zones: [undefined, 'America/New_York'] }],
    ['another zone than before', { preset: mixpanel, zones: ['Europe/Vienna', 'America/New_York'] }],
    ['a zone for Amplitude', { preset: amplitude, zones: [undefined, 'America/New_York'] }],
    [
      'a microsecond of Amplitude',
      { preset: amplitude, change: { event_time: '2024-03-01 12:00:00.500001' } },
    ],
  ])('%s', (_, row) => {
    const [one, other] = both(row)
    expect(one.uuid).toBe(other.uuid)
    expect(meetingOf(met(one), met(other))).toBe('moved')
    expect(printOf(one)).not.toBe(printOf(other))
  })
})
