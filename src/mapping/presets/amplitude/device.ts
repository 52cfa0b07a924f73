import { memoize } from '../../memoize.ts'
import type { Draft, RecordView } from '../../preset.ts'

/**
 * The fields have two meanings: in a browser `os_name` and `os_version` hold the browser, and `device_family` or else
 * `device_type` the system; everywhere else `os_name` is the system.
 */
export function describeDevice(record: RecordView, draft: Draft): void {
  const family = record.text('device_family')
  const type = record.text('device_type')
  if (isWeb(record)) describeBrowser(family, type, draft)
  else describeHardware(family, type, draft)
  const kind = deviceKind(`${family ?? ''} ${type ?? ''}`)
  if (kind !== '') draft.text('$device_type', kind)
  else if (/^(ios|android)$/i.test(record.text('platform') ?? '')) draft.text('$device_type', 'Mobile')
}

/** Told by the platform; without one by the library: amplitude-js and amplitude-ts run in browsers. */
function isWeb(record: RecordView): boolean {
  const platform = record.text('platform')
  if (platform !== undefined) return /\bweb\b/i.test(platform)
  return /^amplitude-[jt]s\b/.test(record.text('library') ?? '')
}

function describeBrowser(family: string | undefined, type: string | undefined, draft: Draft): void {
  draft.copy('$browser', 'os_name')
  draft.copy('$browser_version', 'os_version')
  draft.copy('$os', family === undefined ? 'device_type' : 'device_family')
  if (family !== undefined && family !== type) draft.copy('$device', 'device_type')
}

function describeHardware(family: string | undefined, type: string | undefined, draft: Draft): void {
  draft.copy('$os', 'os_name')
  draft.copy('$os_version', 'os_version')
  draft.copy('$device', type === undefined ? 'device_family' : 'device_type')
  if (type !== undefined && type !== family) draft.copy('device_family', 'device_family')
}

/** Desktop, Mobile or Tablet, as the service's own libraries say it; '' where the device's names don't tell. */
const deviceKind = memoize((names: string) => {
  if (/ipad|\btab(let)?\b/i.test(names)) return 'Tablet'
  if (/iphone|ipod|android|\bios\b|phone|mobile/i.test(names)) return 'Mobile'
  return /windows|\bmac|linux|ubuntu|chrome ?os/i.test(names) ? 'Desktop' : ''
})
