import type { ReportData } from '../../jobs/report/report-data.ts'
import type { ReportResult } from '../../jobs/results.ts'
import { bytes, fold, REMARK, visible } from '../../text/index.ts'

export function reportJson(
  names: readonly string[],
  out: string,
  size: number,
  data: ReportData,
): ReportResult {
  return {
    version: 1,
    command: 'report',
    datasets: names,
    out,
    bytes: size,
    asked: data.proof?.asked_at ?? null,
    equal: data.proof?.equal ?? null,
    missing: data.missing,
    reduced: data.reduced,
  }
}

export function reportText(out: string, size: number, { verdict, missing, reduced }: ReportData): string {
  const lines = [
    `report: ${visible(out)}, ${bytes(size)}`,
    ...(verdict ? fold(visible(`${verdict.title} ${verdict.text ?? ''}`.trim()), '  ', '  ') : []),
    ...missing.flatMap((text) => fold(visible(text), REMARK, '  missing   ')),
    ...reduced.flatMap((text) => fold(visible(text), REMARK, '  smaller   ')),
  ]
  return `${lines.join('\n')}\n`
}
