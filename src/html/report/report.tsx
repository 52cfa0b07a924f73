import type { ReportData } from '../../jobs/report/report-data.ts'
import { visible } from '../../text/visible.ts'
import { htmlDocument } from './document.tsx'
import { fitted } from './fit.ts'
import { Page } from './page.tsx'

/** One file of HTML that needs nothing else: no script, no address, a style sheet that its policy knows by its hash. */
export function renderReport(data: ReportData): string {
  return fitted(harmless(data), (shown) => htmlDocument(shown.title, <Page data={shown} />))
}

/** Every text of the data with its control characters, bidi marks and lone surrogates as letters; line ends are kept. */
function harmless(data: ReportData): ReportData {
  return JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' ? value.split('\n').map(visible).join('\n') : value,
  )
}
