import { expect, test } from 'vitest'
import type { Preset } from '../../src/mapping/preset.ts'
import { NUMBERS } from '../../src/presets/snowplow/atomic-fields.ts'
import { snowplow } from '../../src/presets/snowplow.ts'
import { umami } from '../../src/presets/umami.ts'
import { eventText } from '../helpers/event-text.ts'
import { makeEngine } from './map-one.ts'

const ROW = {
  event: 'page_view',
  event_name: 'page_view',
  event_id: 'c6ef3124-b53a-4b13-a233-0088f79d0000',
  domain_userid: 'u1',
  derived_tstamp: '2024-06-01 08:22:03.996',
}
const VITALS = {
  session_id: '0b6c1f52-77aa-5d0e-9c1b-2f4e6a8b0c1d',
  event_id: '5c77f0de-31b4-4c4a-9a44-0a9b7d1f2e10',
  event_type: 5,
  created_at: '2025-03-01 10:00:00',
}
const DATA = {
  session_id: VITALS.session_id,
  website_id: 'w1',
  created_at: VITALS.created_at,
  distinct_id: 'ada',
  data_key: 'n',
  data_type: 2,
}

/** Where a preset makes a number of text, or opens text by itself: the record around the number, and its name. */
const PLACES: ReadonlyArray<readonly [name: string, preset: Preset, record: (number: string) => object]> = [
  ...Object.entries(NUMBERS).map(
    ([column, name]) => [name, snowplow, (number: string) => ({ ...ROW, [column]: number })] as const,
  ),
  [
    'n',
    snowplow,
    (number) => ({ ...ROW, event_name: 'own', unstruct_event_com_example_own_1: `{"n":${number}}` }),
  ],
  ['$web_vitals_LCP_value', umami, (lcp) => ({ ...VITALS, lcp })],
  ['$umami_ttfb', umami, (ttfb) => ({ ...VITALS, ttfb })],
  ['n', umami, (number_value) => ({ ...DATA, number_value })],
]

function made(preset: Preset, record: object | string, bigIntegersAsStrings: boolean) {
  const engine = makeEngine(preset, { mapping: { bigIntegersAsStrings } })
  const line = Buffer.from(typeof record === 'string' ? record : JSON.stringify(record))
  const text = eventText(engine.map(line, 0, line.length))
  const { mends, big_integers } = engine.takeNotes()
  return { text, huge: mends.huge_number, big: mends.big_integer, names: { ...big_integers } }
}

const BIG = '12345678901234567890'
/** As Umami writes numbers, without an exponent. */
const HUGE = '9'.repeat(400)

test.each(PLACES)(
  '%s: a number made of text is mended and counted as one that is there',
  (name, preset, record) => {
    const huge = made(preset, record(HUGE), false)
    expect(huge.huge).toBe(1)
    // The same, where the number is no text.
    expect(made(preset, JSON.stringify(record(HUGE)).replace(`"${HUGE}"`, HUGE), false).huge).toBe(1)
    expect(huge.text).toContain(`"${name}":"${HUGE}"`)
    const kept = made(preset, record(BIG), false)
    expect(kept).toMatchObject({ big: 0, names: { [name]: 1 } })
    expect(kept.text).toContain(`"${name}":${BIG}`)
    const text = made(preset, record(BIG), true)
    expect(text).toMatchObject({ big: 1, names: {} })
    expect(text.text).toContain(`"${name}":"${BIG}"`)
    expect(made(preset, record('1.50'), true).text).toContain(`"${name}":1.50`)
  },
)

test('JSON in a text leaves the event on one line, and no half of a surrogate pair in it', () => {
  const own = { ...ROW, event_name: 'own', unstruct_event_com_example_own_1: '{"a":{\n"b":1},"c":"\\ud800"}' }
  expect(made(snowplow, own, false).text).toContain('"a":{ "b":1},"c":"\\ufffd"')
})
