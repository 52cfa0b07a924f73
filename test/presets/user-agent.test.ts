import { expect, test } from 'vitest'
import { clientOf } from '../../src/presets/client.ts'

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
