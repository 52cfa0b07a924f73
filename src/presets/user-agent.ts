import Bowser from 'bowser'
import { browserOf, browserVersionOf, deviceTypeOf, systemOf, systemVersionOf } from '../mapping/index.ts'
import { memoize } from '../record/index.ts'

/** What a user agent tells, in the service's names; undefined for what it doesn't tell. */
export interface Client {
  readonly browser: string | undefined
  readonly browserVersion: number | undefined
  readonly system: string | undefined
  readonly systemVersion: string | undefined
  readonly deviceType: string | undefined
}

/** Longest user agent that is read: the parser's patterns look at the text many times. */
const LONGEST = 1000

const NOTHING: Client = {
  browser: undefined,
  browserVersion: undefined,
  system: undefined,
  systemVersion: undefined,
  deviceType: undefined,
}

/** Browsers in other apps, which the parser takes for the system's own. */
const IN_APPS: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\bFB(?:AN|AV|IOS)\b/, 'Facebook Mobile'],
  [/\bOpera Mini\//, 'Opera Mini'],
]

/** Reads a user agent. Memoized: reading takes longer than the rest of an event, and visitors come again. */
export const clientOf = memoize(read, LONGEST)

function read(userAgent: string): Client {
  if (userAgent === '' || userAgent.length > LONGEST) return NOTHING
  const { browser, os, platform } = Bowser.parse(userAgent)
  const named = systemOf(os.name ?? '')
  const system = named?.name
  // Apps' own requests: no browser made them, and they say "Android" of phones and tablets alike.
  const isApp = userAgent.startsWith('Dalvik/')
  const inApp = IN_APPS.find(([pattern]) => pattern.test(userAgent))
  const known = inApp === undefined ? browserOf(browser.name ?? '', system)?.name : inApp[1]
  const told = isApp || (inApp === undefined && !isBrowser(userAgent)) ? undefined : known
  return {
    browser: told,
    browserVersion: told === undefined || inApp ? undefined : browserVersionOf(browser.version ?? ''),
    system,
    systemVersion: systemVersionOf(os.version ?? '', system),
    deviceType: isApp ? undefined : (deviceTypeOf(platform.type ?? '') ?? typeOn(system)),
  }
}

/** Crawlers and libraries name themselves, and sometimes like a browser. All browsers still say this of themselves. */
function isBrowser(userAgent: string): boolean {
  return /^(?:Mozilla|Opera)\/\d/.test(userAgent) && !/\b(?:bot|crawler|spider)\b/i.test(userAgent)
}

function typeOn(system: string | undefined): string | undefined {
  return system === 'Chrome OS' ? 'Desktop' : undefined
}
