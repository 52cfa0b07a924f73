import {
  browserOf,
  browserVersionOf,
  type Draft,
  deviceTypeOf,
  systemOf,
  systemVersionOf,
} from '../mapping/index.ts'
import { type Client, clientOf } from './user-agent.ts'

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

/** Writes a property anew; a value that it had and that differs is kept under the vendor's name for it. */
function rename(draft: Draft, vendor: string, name: string, json: string): void {
  const before = draft.json(name)
  if (before === undefined || before === json || Number(before) === Number(json)) return
  const elsewhere = `$${vendor}_${name.slice(1)}`
  draft.property(name, json, elsewhere)
  draft.property(elsewhere, before)
}
