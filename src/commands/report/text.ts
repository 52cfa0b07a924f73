import { fold } from '../../text/fold.ts'
import { visible } from '../../text/visible.ts'
import { bytes } from '../../text/words.ts'
import { labelled } from '../lines.ts'
import type { ReportResult } from '../results.ts'
import type { ReportVerdict } from './report-data.ts'

export function reportText(result: ReportResult, verdict: ReportVerdict | undefined): string {
  const lines = [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(verdict ? fold(visible(`${verdict.title} ${verdict.text ?? ''}`.trim()), '  ') : []),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
  return `${lines.join('\n')}\n`
}
