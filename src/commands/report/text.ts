import { fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes } from '../../text/words.ts'
import { labelled } from '../lines.ts'
import type { ReportResult } from './result.ts'

export function reportLines(result: ReportResult): string[] {
  return [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(result.verdict === null ? [] : fold(visible(result.verdict), '  ')),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
}
