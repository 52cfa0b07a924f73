import { describe, expect, test } from 'vitest'
import { browserOf, deviceTypeOf, systemOf, systemVersionOf } from '../../src/mapping/client-names.ts'
import { Mapper } from '../../src/mapping/mapper.ts'
import { NO_MAPPING } from '../../src/mapping/mapping.ts'
import type { Preset } from '../../src/mapping/preset.ts'
import { clientOf, foldClientNames, readUserAgent, setSize } from '../../src/presets/client.ts'
import { eventText } from '../helpers/event-text.ts'
import { AT_2026 } from '../helpers/mapper.ts'

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/114.0.5735.90 Safari/537.36'

/** Members are properties under their own names. */
const plain: Preset = {
  vendor: 'acme',
  rules: 1,
  fields: { size: '@size', '*': '*' },
  recognises: [],
  events: {},
  empty: [],
  eventName: () => 'e',
  uuid: () => undefined,
  distinctId: () => 'u',
  anonymousId: () => undefined,
  timestamp: () => 1_700_000_000_000_000,
  perform(record, draft) {
    setSize(draft, record.text('size'), '$screen')
    readUserAgent(draft)
    foldClientNames(draft, 'acme')
  },
}

function propertiesOf(record: object, rename: Record<string, string> = {}): Record<string, unknown> {
  const mapping = { ...NO_MAPPING, properties: { ...NO_MAPPING.properties, rename } }
  const mapper = new Mapper(plain, mapping, AT_2026)
  const line = Buffer.from(JSON.stringify(record))
  const { properties } = JSON.parse(eventText(mapper.map(line, 0, line.length)))
  const { distinct_id, $geoip_disable, $lib, $lib_version, analytics_source, $raw_user_agent, ...rest } =
    properties
  return rest
}

describe('names of systems', () => {
  test.each<[text: string, name: string, version?: string]>([
    ['macOS', 'Mac OS X'],
    ['Macintosh', 'Mac OS X'],
    ['osx', 'Mac OS X'],
    ['ChromeOS', 'Chrome OS'],
    ['GNU/Linux', 'Linux'],
    ['iPadOS', 'iOS'],
    ['ios', 'iOS'],
    ['android', 'Android'],
    ['Windows', 'Windows'],
    ['Windows 10', 'Windows', '10'],
    ['Windows 8.1', 'Windows', '8.1'],
    ['Mac OS X 10.15.7', 'Mac OS X', '10.15.7'],
    ['iOS 17.5', 'iOS', '17.5'],
  ])('%s is %s', (text, name, version) => expect(systemOf(text)).toEqual({ name, version }))

  test.each(['Web', 'Tizen', '', 'constructor', '10', 'Android Automotive 13'])('%s is not known', (text) =>
    expect(systemOf(text)).toBeUndefined(),
  )
})

describe('versions of systems', () => {
  test.each([
    ['10.0', 'Windows', '10'],
    ['NT 10.0', 'Windows', '10'],
    ['Windows 10', 'Windows', '10'],
    ['6.1', 'Windows', '7'],
    ['16.5', 'iOS', '16.5.0'],
    ['13', 'Android', '13.0.0'],
    ['10_15_7', 'Mac OS X', '10.15.7'],
    ['Intel 10.15', 'Mac OS X', '10.15.0'],
    ['22.04', 'Linux', '22.04'],
    ['5', undefined, '5'],
  ])('%s of %s', (text, system, version) => expect(systemVersionOf(text, system)).toBe(version))

  test.each(['Catalina', '', '13 beta'])('"%s" has none', (text) =>
    expect(systemVersionOf(text, 'Mac OS X')).toBeUndefined(),
  )
})

test.each([
  ['Safari', 'iOS', 'Mobile Safari'],
  ['Safari', 'Mac OS X', 'Safari'],
  ['Edge (Chromium)', undefined, 'Microsoft Edge'],
  ['IE', 'Windows', 'Internet Explorer'],
  ['Chrome Mobile', 'Android', 'Chrome'],
  ['Chrome Mobile iOS', 'iOS', 'Chrome iOS'],
  ['Mobile Safari UI/WKWebView', 'iOS', 'Mobile Safari'],
  ['samsung', 'Android', 'Samsung Internet'],
  ['Whale Browser', 'Windows', 'Whale'],
])('the browser %s on %s is %s', (text, system, name) => expect(browserOf(text, system)?.name).toBe(name))

test.each([
  ['smartphone', 'Mobile'],
  ['feature phone', 'Mobile'],
  ['laptop', 'Desktop'],
  ['tablet', 'Tablet'],
  ['smart tv', undefined],
])('the device %s is %s', (text, type) => expect(deviceTypeOf(text)).toBe(type))

test("a changed value is kept under the vendor's name, one that was right is not kept twice", () => {
  expect(
    propertiesOf({
      $os: 'Macintosh',
      $os_version: '10_15_7',
      $browser: 'Chrome',
      $browser_version: '114.0.5735.90',
      $device_type: 'Desktop',
    }),
  ).toEqual({
    $os: 'Mac OS X',
    $acme_os: 'Macintosh',
    $os_version: '10.15.7',
    $acme_os_version: '10_15_7',
    $browser: 'Chrome',
    $browser_version: 114,
    $acme_browser_version: '114.0.5735.90',
    $device_type: 'Desktop',
  })
})

test('a version beside the name is used where there is no other', () => {
  expect(propertiesOf({ $os: 'Windows 10', $browser: 'Chrome 125.0.0.0' })).toEqual({
    $os: 'Windows',
    $acme_os: 'Windows 10',
    $os_version: '10',
    $browser: 'Chrome',
    $acme_browser: 'Chrome 125.0.0.0',
    $browser_version: 125,
  })
})

test('values that no table knows stay', () => {
  const odd = { $os: 'Tizen', $os_version: {}, $browser: ['x'], $browser_version: 'latest', $device_type: 7 }
  expect(propertiesOf(odd)).toEqual(odd)
})

test('the user agent fills in what the record does not tell', () => {
  expect(propertiesOf({ $raw_user_agent: CHROME })).toEqual({
    $browser: 'Chrome',
    $browser_version: 114,
    $os: 'Windows',
    $os_version: '10',
    $device_type: 'Desktop',
  })
  expect(propertiesOf({ $raw_user_agent: CHROME, $os: 'Linux', $device_type: 'Mobile' })).toEqual({
    $browser: 'Chrome',
    $browser_version: 114,
    $os: 'Linux',
    $device_type: 'Mobile',
  })
  expect(propertiesOf({ $raw_user_agent: 17 })).toEqual({})
})

test('a property that the user renames is found, not filled in again', () => {
  expect(propertiesOf({ $raw_user_agent: CHROME, $os: 'macOS', $browser: 'X' }, { $os: 'system' })).toEqual({
    system: 'Mac OS X',
    $acme_os: 'macOS',
    $browser: 'X',
  })
})

describe('a size', () => {
  const sizeOf = (size: unknown) => {
    const { $screen_width: width, $screen_height: height } = propertiesOf({ size })
    return [width, height]
  }

  test.each([
    ['1920x1080', 1920, 1080],
    ['0x0', 0, 0],
    ['100000x999999', 100_000, 999_999],
  ])('%s is two numbers', (size, width, height) => expect(sizeOf(size)).toEqual([width, height]))

  test.each(['0768x1024', '1920x', '1e3x2', `${'9'.repeat(25)}x1`, `1x${'9'.repeat(400)}`, '(not set)'])(
    '%s is none: it would be another text as a number',
    (size) => expect(sizeOf(size)).toEqual([undefined, undefined]),
  )
})

const MOBILE_SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
const BLINK = 'AppleWebKit/537.36 (KHTML, like Gecko)'
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 16_5_1 like Mac OS X) ${MOBILE_SAFARI}`

// Names, versions and kinds as posthog-js sends them for the same user agents.
test.each([
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/114.0.5735.90 Safari/537.36`,
    ['Chrome', 114, 'Windows', '10', 'Desktop'],
  ],
  [
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${MOBILE_SAFARI} Version/16.5 Safari/605.1.15`,
    ['Safari', 16.5, 'Mac OS X', '10.15.7', 'Desktop'],
  ],
  [`${IPHONE} Version/16.5 Mobile/15E148 Safari/604.1`, ['Mobile Safari', 16.5, 'iOS', '16.5.1', 'Mobile']],
  [
    `${IPHONE} CriOS/114.0.5735.99 Mobile/15E148 Safari/604.1`,
    ['Chrome iOS', 114, 'iOS', '16.5.1', 'Mobile'],
  ],
  [`${IPHONE} FxiOS/114.1 Mobile/15E148 Safari/605.1.15`, ['Firefox iOS', 114.1, 'iOS', '16.5.1', 'Mobile']],
  [
    `Mozilla/5.0 (iPad; CPU OS 16_5 like Mac OS X) ${MOBILE_SAFARI} Version/16.5 Mobile/15E148 Safari/604.1`,
    ['Mobile Safari', 16.5, 'iOS', '16.5.0', 'Tablet'],
  ],
  [
    `${IPHONE} Mobile/15E148 [FBAN/FBIOS;FBAV/418.0.0.32.69;FBDV/iPhone12,1;FBSN/iOS;FBSV/16.5]`,
    ['Facebook Mobile', undefined, 'iOS', '16.5.1', 'Mobile'],
  ],
  [
    `Mozilla/5.0 (Linux; Android 13; SM-S918B) ${BLINK} SamsungBrowser/21.0 Chrome/110.0.5481.154 Mobile Safari/537.36`,
    ['Samsung Internet', 21, 'Android', '13.0.0', 'Mobile'],
  ],
  [
    `Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${BLINK} Chrome/114.0.0.0 Safari/537.36`,
    ['Chrome', 114, 'Chrome OS', undefined, 'Desktop'],
  ],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${BLINK} Chrome/114.0.0.0 Safari/537.36 Edg/114.0.1823.51`,
    ['Microsoft Edge', 114, 'Linux', undefined, 'Desktop'],
  ],
  [
    'Mozilla/5.0 (Windows NT 6.1; WOW64; Trident/7.0; AS; rv:11.0) like Gecko',
    ['Internet Explorer', 11, 'Windows', '7', 'Desktop'],
  ],
  // An app's own requests tell the system; no browser made them.
  [
    'Dalvik/2.1.0 (Linux; U; Android 13; Pixel 7 Build/TQ3A.230605.012)',
    [undefined, undefined, 'Android', '13.0.0', undefined],
  ],
])('%s', (userAgent, [browser, browserVersion, system, systemVersion, deviceType]) =>
  expect(clientOf(userAgent as string)).toEqual({
    browser,
    browserVersion,
    system,
    systemVersion,
    deviceType,
  }),
)

test.each([
  'analytics-node/6.0.1',
  'python-requests/2.31.0',
  'MyApp/3 CFNetwork/1410.0.3 Darwin/22.6.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  `Mozilla/5.0 (Windows NT 10.0) Chrome/114.0 ${'x'.repeat(1000)}`,
  '',
  '(((',
])('no browser: %s', (userAgent) => expect(clientOf(userAgent).browser).toBeUndefined())
