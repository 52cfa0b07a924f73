import type { Draft, RecordView } from '../../preset.ts'

/**
 * One set of fields, two meanings: in a browser `os_name` and `os_version` hold the browser, and the system stands in
 * `device_family` or else `device_type`; everywhere else `os_name` is the system.
 */
export function describeDevice(record: RecordView, draft: Draft): void {
  if (isWeb(record)) describeBrowser(record, draft)
  else describeHardware(record, draft)
  const kind = deviceKind(record)
  if (kind !== undefined) draft.text('$device_type', kind)
}

/** By the platform; where none was sent, by the library: amplitude-js and amplitude-ts run in browsers. */
function isWeb(record: RecordView): boolean {
  const platform = record.text('platform')
  if (platform !== undefined) return /\bweb\b/i.test(platform)
  return /^amplitude-[jt]s\b/.test(record.text('library') ?? '')
}

function describeBrowser(record: RecordView, draft: Draft): void {
  move(record, draft, 'os_name', '$browser')
  move(record, draft, 'os_version', '$browser_version')
  const family = record.text('device_family')
  move(record, draft, family === undefined ? 'device_type' : 'device_family', '$os')
  if (family !== undefined && family !== record.text('device_type')) {
    move(record, draft, 'device_type', '$device')
  }
}

function describeHardware(record: RecordView, draft: Draft): void {
  move(record, draft, 'os_name', '$os')
  move(record, draft, 'os_version', '$os_version')
  const type = record.text('device_type')
  move(record, draft, type === undefined ? 'device_family' : 'device_type', '$device')
  if (type !== undefined && type !== record.text('device_family')) {
    move(record, draft, 'device_family', 'device_family')
  }
}

function move(record: RecordView, draft: Draft, slot: string, property: string): void {
  const json = record.json(slot)
  if (json !== undefined) draft.property(property, json)
}

/** Desktop, Mobile or Tablet, as the service's own libraries say it; undefined where the record doesn't tell. */
function deviceKind(record: RecordView): string | undefined {
  const device = `${record.text('device_family') ?? ''} ${record.text('device_type') ?? ''}`
  if (/ipad|\btab(let)?\b/i.test(device)) return 'Tablet'
  if (/iphone|ipod|android|\bios\b|phone|mobile/i.test(device)) return 'Mobile'
  if (/windows|\bmac|linux|ubuntu|chrome ?os/i.test(device)) return 'Desktop'
  return /^(ios|android)$/i.test(record.text('platform') ?? '') ? 'Mobile' : undefined
}
