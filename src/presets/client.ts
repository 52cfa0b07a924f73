import Bowser from 'bowser'
import {
  browserOf,
  browserVersionOf,
  deviceTypeOf,
  systemOf,
  systemVersionOf,
} from '../mapping/client-names.ts'
import type { Draft } from '../mapping/preset.ts'
import { memoize } from '../record/text.ts'

/**
 * Gives browser, system and kind of device the names that the service's own libraries use. A value that is another then is
 * kept as it was under `$<vendor>_os`, `$<vendor>_browser` and so on. To be called when the tables and the preset's
 * functions have written what the record says.
 */
export function foldClientNames(draft: Draft, vendor: string): void {
  const system = textOf(draft, '$os')
  const knownSystem = system === undefined ? undefined : systemOf(system)
  const systemName = knownSystem?.name ?? system
  const version = textOf(draft, '$os_version')
  if (knownSystem) {
    rename(draft, vendor, '$os', JSON.stringify(knownSystem.name))
    if (version === undefined && knownSystem.version !== undefined)
      draft.text('$os_version', systemVersionOf(knownSystem.version, systemName) ?? knownSystem.version)
  }
  const systemVersion = version === undefined ? undefined : systemVersionOf(version, systemName)
  if (systemVersion !== undefined) rename(draft, vendor, '$os_version', JSON.stringify(systemVersion))
  foldBrowser(draft, vendor, systemName)
  const type = deviceTypeOf(textOf(draft, '$device_type') ?? '')
  if (type !== undefined) rename(draft, vendor, '$device_type', JSON.stringify(type))
}

function foldBrowser(draft: Draft, vendor: string, system: string | undefined): void {
  const browser = textOf(draft, '$browser')
  const known = browser === undefined ? undefined : browserOf(browser, system)
  const version = textOf(draft, '$browser_version')
  if (known) {
    rename(draft, vendor, '$browser', JSON.stringify(known.name))
    const beside = browserVersionOf(known.version ?? '')
    if (version === undefined && beside !== undefined) draft.property('$browser_version', String(beside))
  }
  const number = version === undefined ? undefined : browserVersionOf(version)
  if (number !== undefined) rename(draft, vendor, '$browser_version', String(number))
}

/**
 * Fills in browser, system and kind of device from `$raw_user_agent`, where the record doesn't tell them itself. A version
 * goes with the name that it belongs to.
 */
export function readUserAgent(draft: Draft): void {
  const [hasBrowser, hasSystem] = [draft.has('$browser'), draft.has('$os')]
  if (hasBrowser && hasSystem) return
  const userAgent = textOf(draft, '$raw_user_agent')
  if (userAgent !== undefined) fillIn(draft, clientOf(userAgent), hasBrowser, hasSystem)
}

function fillIn(draft: Draft, client: Client, hasBrowser: boolean, hasSystem: boolean): void {
  if (!hasBrowser && client.browser !== undefined) {
    draft.text('$browser', client.browser)
    if (client.browserVersion !== undefined && !draft.has('$browser_version'))
      draft.property('$browser_version', String(client.browserVersion))
  }
  if (!hasSystem && client.system !== undefined) {
    draft.text('$os', client.system)
    if (client.systemVersion !== undefined && !draft.has('$os_version'))
      draft.text('$os_version', client.systemVersion)
  }
  if (client.deviceType !== undefined && !draft.has('$device_type'))
    draft.text('$device_type', client.deviceType)
}

/** A property as text: a string decoded, a number as written; undefined for other values. */
function textOf(draft: Draft, name: string): string | undefined {
  const json = draft.json(name)
  if (json === undefined) return undefined
  if (json.startsWith('"')) return JSON.parse(json) as string
  return /^[-\d]/.test(json) ? json : undefined
}

/** Writes a property; a column's value of the same name is kept under another one. */
export function outrank(draft: Draft, name: string, json: string, elsewhere: string): void {
  const column = draft.json(name)
  draft.property(name, json, elsewhere)
  if (column !== undefined && column !== draft.json(name)) draft.property(elsewhere, column)
}

/** Writes a property anew; a value that it had and that differs is kept under the vendor's name for it. */
function rename(draft: Draft, vendor: string, name: string, json: string): void {
  const before = draft.json(name)
  if (before === undefined || before === json || Number(before) === Number(json)) return
  const elsewhere = `$${vendor}_${name.slice(1)}`
  draft.property(name, json, elsewhere)
  draft.property(elsewhere, before)
}

/** Numbers that are written as they are read: no zero before them, and none that JSON spells otherwise. */
const SIZE = /^(0|[1-9]\d{0,5})x(0|[1-9]\d{0,5})$/

/** Writes a size such as `1920x1080`. False for text that is none. */
export function setSize(draft: Draft, size: string | undefined, name: '$screen' | '$viewport'): boolean {
  const [, width, height] = SIZE.exec(size ?? '') ?? []
  if (width === undefined || height === undefined) return false
  draft.property(`${name}_width`, width)
  draft.property(`${name}_height`, height)
  return true
}

/** What a user agent tells, in the service's names; undefined for what it doesn't tell. */
export interface Client {
  readonly browser?: string | undefined
  readonly browserVersion?: number | undefined
  readonly system?: string | undefined
  readonly systemVersion?: string | undefined
  readonly deviceType?: string | undefined
}

/** Longest user agent that is read: the parser's patterns look at the text many times. */
const LONGEST = 1000

/** Browsers in other apps, which the parser takes for the system's own. */
const IN_APPS: ReadonlyArray<readonly [pattern: RegExp, name: string]> = [
  [/\bFB(?:AN|AV|IOS)\b/, 'Facebook Mobile'],
  [/\bOpera Mini\//, 'Opera Mini'],
]

/** Reads a user agent. Memoized: reading takes longer than the rest of an event, and visitors come again. */
export const clientOf = memoize(read, LONGEST)

function read(userAgent: string): Client {
  if (userAgent === '' || userAgent.length > LONGEST) return {}
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
    deviceType: isApp
      ? undefined
      : (deviceTypeOf(platform.type ?? '') ?? (system === 'Chrome OS' ? 'Desktop' : undefined)),
  }
}

/** Crawlers and libraries name themselves, and sometimes like a browser. All browsers still say this of themselves. */
function isBrowser(userAgent: string): boolean {
  return /^(?:Mozilla|Opera)\/\d/.test(userAgent) && !/\b(?:bot|crawler|spider)\b/i.test(userAgent)
}
