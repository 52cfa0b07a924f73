import type { RecordView } from '../../mapping/index.ts'

/** What `export matomo` adds to every visit: where it came from. */
export const EXPORT_MEMBER = '(export)'

/** What the export said of the visit; undefined for files of another origin. */
export function exported(record: RecordView, name: 'base_url' | 'timezone'): string | undefined {
  const json = record.object('export')
  const value = json === undefined ? undefined : (JSON.parse(json) as Record<string, unknown>)[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
