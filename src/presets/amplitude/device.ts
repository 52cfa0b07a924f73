import { browserOf, browserVersionOf, systemOf, systemVersionOf } from '../../mapping/client-names.ts'
import type { Draft, RecordView } from '../../mapping/preset.ts'
import { memoize } from '../../record/text.ts'

/**
 * The fields have two meanings: in a browser `os_name` and `os_version` hold the browser, and `device_family` or else
 * `device_type` the system; everywhere else `os_name` is the system.
 */
export function describeDevice(record: RecordView, draft: Draft): void {
  const family = record.text('device_family')
  const type = record.text('device_type')
  if (isWeb(record)) describeBrowser(record, family, type, draft)
  else describeHardware(record, family, type, draft)
  const kind = deviceKind(`${family ?? ''} ${type ?? ''}`)
  if (kind !== '') draft.text('$device_type', kind)
  else if (/^(ios|android)$/i.test(record.text('platform') ?? '')) draft.text('$device_type', 'Mobile')
}

/** Told by the platform; without one by the library: amplitude-js and amplitude-ts run in browsers. */
function isWeb(record: RecordView): boolean {
  const platform = record.text('platform')
  if (platform !== undefined) return namesWeb(platform)
  return /^amplitude-[jt]s\b/.test(record.text('library') ?? '')
}

const namesWeb = memoize((platform: string) => /\bweb\b/i.test(platform))

function describeBrowser(
  record: RecordView,
  family: string | undefined,
  type: string | undefined,
  draft: Draft,
): void {
  const systemSlot = family === undefined ? 'device_type' : 'device_family'
  const system = systemName(family ?? type)
  const browser = record.text('os_name')
  named(draft, 'os_name', '$browser', other(browser, browser && browserOf(browser, system)?.name))
  const version = record.text('os_version')
  const number = version === undefined ? '' : versionNumber(version)
  if (number === '') draft.copy('$browser_version', 'os_version')
  else {
    draft.property('$browser_version', number)
    if (number !== version) draft.copy('$amplitude_browser_version', 'os_version')
  }
  named(draft, systemSlot, '$os', other(family ?? type, system))
  if (family !== undefined && family !== type) draft.copy('$device', 'device_type')
}

function describeHardware(
  record: RecordView,
  family: string | undefined,
  type: string | undefined,
  draft: Draft,
): void {
  const name = record.text('os_name')
  const system = systemName(name)
  const version = record.text('os_version')
  named(draft, 'os_name', '$os', other(name, system))
  named(draft, 'os_version', '$os_version', other(version, version && systemVersionOf(version, system)))
  draft.copy('$device', type === undefined ? 'device_family' : 'device_type')
  if (type !== undefined && type !== family) draft.copy('$amplitude_device_family', 'device_family')
}

function systemName(text: string | undefined): string | undefined {
  return text === undefined ? undefined : (systemOf(text)?.name ?? text)
}

/** The service's name for what a text names, if it is another. */
function other(text: string | undefined, name: string | undefined): string | undefined {
  return name === text ? undefined : name
}

/** Writes what a slot names: by the service's name, if that is another, with the slot's beside it. */
function named(draft: Draft, slot: string, property: string, name: string | undefined): void {
  if (name !== undefined) draft.text(property, name)
  draft.copy(name === undefined ? property : `$amplitude_${property.slice(1)}`, slot)
}

/** The number of a browser's version, as the service's libraries write it; '' where there is none. */
const versionNumber = memoize((text: string) => {
  const number = browserVersionOf(text)
  return number === undefined ? '' : String(number)
})

/** Desktop, Mobile or Tablet, as the service's own libraries say it; '' where the device's names don't tell. */
const deviceKind = memoize((names: string) => {
  if (/ipad|\btab(let)?\b/i.test(names)) return 'Tablet'
  if (/iphone|ipod|android|\bios\b|phone|mobile/i.test(names)) return 'Mobile'
  return /windows|\bmac|linux|ubuntu|chrome ?os/i.test(names) ? 'Desktop' : ''
})
