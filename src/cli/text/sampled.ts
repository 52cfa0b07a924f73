import { fold, number, plural, REMARK } from '../../text/index.ts'
import type { SpreadOver } from '../../transform/index.ts'

/** What a dry run of a sample tried: `a sample of 1,000 records, spread over 3 files, 12% of the bytes`. */
export function sampleLines(sample: SpreadOver | null): string[] {
  if (!sample) return []
  const { records, whole, files, filesRead } = sample
  const over = filesRead < files ? `${number(filesRead)} of ${plural(files, 'file')}` : plural(files, 'file')
  const text = whole
    ? `all ${plural(records, 'record')} of ${over}: the input has no more`
    : `a sample of ${plural(records, 'record')}, spread over ${over}, ${share(sample)} of the bytes`
  return fold(text, REMARK, '  sample    ')
}

export function sampleJson(sample: SpreadOver | null) {
  if (!sample) return null
  const { records, whole, files, filesRead, bytes, bytesRead } = sample
  return { records, whole, files, files_read: filesRead, bytes, bytes_read: bytesRead }
}

function share({ bytes, bytesRead }: SpreadOver): string {
  const percent = bytes > 0 ? Math.min(100, (100 * bytesRead) / bytes) : 100
  return percent < 1 ? `${percent.toFixed(2)}%` : `${Math.floor(percent)}%`
}
