import type { ReportResult, ReportVerdict } from '../../jobs/index.ts'
import { bytes, fold, visible } from '../../text/index.ts'
import { labelled } from './summary.ts'

export function reportText(result: ReportResult, verdict: ReportVerdict | undefined): string {
  const lines = [
    `report: ${visible(result.out)}, ${bytes(result.bytes)}`,
    ...(verdict ? fold(visible(`${verdict.title} ${verdict.text ?? ''}`.trim()), '  ') : []),
    ...result.missing.flatMap((text) => labelled('missing', visible(text))),
    ...result.reduced.flatMap((text) => labelled('smaller', visible(text))),
  ]
  return `${lines.join('\n')}\n`
}
