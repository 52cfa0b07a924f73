import { describe, expect, test } from 'vitest'
import type { CapturedEvent } from '../../../src/sandbox/ingest/event.ts'
import { PROJECT_RULES } from '../../../src/sandbox/options.ts'
import { processEvent } from '../../../src/sandbox/pipeline/process-event.ts'
import { GroupTypes } from '../../../src/sandbox/store/writer.ts'

const NOW = BigInt(Date.parse('2024-06-01T00:00:00Z')) * 1000n
const DAY = 86_400_000_000n

/** Processes an event with these properties; undefined if it is dropped. */
function processed(
  properties: object,
  event: Partial<CapturedEvent> = {},
  rules: Partial<typeof PROJECT_RULES> = {},
) {
  const captured = {
    uuid: 1n,
    event: 'a',
    distinctId: 'u',
    timestamp: NOW,
    historical: true,
    receivedAt: NOW,
    ...event,
    properties: { $geoip_disable: true, ...properties },
  }
  const project = {
    rules: { ...PROJECT_RULES, ...rules },
    types: new GroupTypes([], 'event'),
    sender: '203.0.113.9',
    warnings: { add: () => undefined },
  }
  const stored = processEvent(captured, project)
  return stored && { ...stored, properties: JSON.parse(stored.properties) as Record<string, unknown> }
}

describe('the sender’s address', () => {
  test.each([undefined, null, ''])('stands for %o', ($ip) => {
    expect(processed({ $ip })?.properties.$ip).toBe('203.0.113.9')
  })

  test('does not replace the event’s own', () => {
    expect(processed({ $ip: '192.0.2.1' })?.properties.$ip).toBe('192.0.2.1')
  })
})

describe('a place', () => {
  test('is stamped on the event and its person, the same for the same address', () => {
    const [one, two, other] = ['127.0.0.1', '127.0.0.1', '2001:db8::1'].map(($ip) =>
      processed({ $ip, $geoip_disable: '' }),
    )
    const { $set, $set_once, ...rest } = one?.properties ?? {}
    const place = Object.entries(rest).filter(
      ([name]) => name.startsWith('$geoip_') && name !== '$geoip_disable',
    )
    expect(place.map(([name]) => name)).toEqual(
      `city_name country_name country_code continent_name continent_code latitude longitude
        time_zone`
        .split(/\s+/)
        .map((name) => `$geoip_${name}`),
    )
    expect($set).toEqual(Object.fromEntries(place))
    expect($set_once).toEqual(
      Object.fromEntries(place.map(([name, value]) => [name.replace('$', '$initial_'), value])),
    )
    expect(two?.properties).toEqual(one?.properties)
    expect(other?.properties.$geoip_city_name).not.toBe(rest.$geoip_city_name)
  })

  test.each([
    ['the event forbids it', { $geoip_disable: true }],
    ['it forbids it in another way', { $geoip_disable: 'yes' }],
    ['there is no address', { $geoip_disable: false, $ip: 'unknown' }],
  ])('is not, where %s', (_, properties) => {
    expect(processed(properties)?.properties).not.toHaveProperty('$geoip_country_code')
  })

  test('of an event without a person is no person’s', () => {
    const event = processed({ $geoip_disable: false, $process_person_profile: false })
    expect(event).toMatchObject({ profile: false, set: null, setOnce: null })
    expect(event?.properties).toHaveProperty('$geoip_country_code')
    expect(event?.properties).not.toHaveProperty('$set')
  })
})

test('names are cut at 200 UTF-16 units, times at milliseconds', () => {
  const event = processed({}, { event: `${'é'.repeat(199)}xy`, timestamp: NOW + 1999n })
  expect([event?.event, event?.timestamp]).toEqual([`${'é'.repeat(199)}x`, NOW + 1000n])
  expect(processed({}, { timestamp: -1n })?.timestamp).toBe(-1000n)
})

test('what is too old for the project is dropped, whatever is historical', () => {
  const rules = { dropEventsOlderThan: 30 }
  expect(processed({}, { timestamp: NOW - 30n * DAY }, rules)).toBeDefined()
  expect(processed({}, { timestamp: NOW - 30n * DAY - 1n }, rules)).toBeUndefined()
  expect(processed({}, { timestamp: NOW - 9999n * DAY })).toBeDefined()
})

test.each(['$$heatmap', '$$client_ingestion_warning'])('%s is not among the events', (event) => {
  expect(processed({}, { event })).toBeUndefined()
})

test('properties that the service takes out or writes its own way', () => {
  const id = '018CC251-F400-7ABC-8DEF-0123456789AB'
  const { $ip, $geoip_disable, ...rest } =
    processed({
      ph_product_tours: [],
      $product_tours_activated: [],
      $override_feature_flag_payloads: {},
      $heatmap_data: {},
      $process_person_profile: true,
      $session_id: id,
      $window_id: 'NOT-A-UUID',
    })?.properties ?? {}
  expect(rest).toEqual({ $session_id: id.toLowerCase(), $window_id: 'NOT-A-UUID' })
})

test('the clicked elements have a column of their own', () => {
  const event = processed({ $elements_chain: 'div:' })
  expect(event?.elementsChain).toBe('div:')
  expect(event?.properties).not.toHaveProperty('$elements_chain')
})
