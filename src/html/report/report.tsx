import { createHash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { ReportData } from '../../commands/report/report-data.ts'
import { visible } from '../../text/visible.ts'
import { number } from '../../text/words.ts'
import { ReportPage } from './page.tsx'
import css from './report.css?inline'

/** A page that can be sent by mail. */
const MOST_BYTES = 1_950_000
/** How long lists and texts may be, the first that fits. */
const SIZES = [
  { entries: 200, letters: 20_000 },
  { entries: 30, letters: 2000 },
  { entries: 12, letters: 500 },
  { entries: 4, letters: 200 },
]

/** Renders the data, with shorter lists and texts until it is under 2 MB; the page says so where it had to. */
function fitted(data: ReportData, render: (data: ReportData) => string): string {
  let page = ''
  for (const { entries, letters } of SIZES) {
    const { shorter, isCut } = shortened(data, entries, letters)
    const reduced = [
      ...shorter.reduced,
      `Lists end after ${number(entries)} entries and texts after ${number(letters)} letters, so that this page is under 2 MB.`,
    ]
    page = render(isCut ? { ...shorter, reduced } : shorter)
    if (Buffer.byteLength(page) < MOST_BYTES) break
  }
  return page
}

function shortened(
  data: ReportData,
  entries: number,
  letters: number,
): { shorter: ReportData; isCut: boolean } {
  let isCut = false
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') {
      if (value.length > letters) isCut = true
      return value.slice(0, letters)
    }
    if (Array.isArray(value)) {
      if (value.length > entries) isCut = true
      return value.slice(0, entries).map((one) => walk(one))
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one)]))
  }
  // The days are drawn, which folds them: fewer would be a false picture.
  const { days, ...rest } = data
  return { shorter: { ...(walk(rest) as ReportData), ...(days && { days }) }, isCut }
}

/**
 * A whole HTML document around a page. Its policy allows the one style element, known by its hash, and nothing else: no
 * script, no address. So even a text that were taken for markup could neither run nor ask for anything.
 */
function htmlDocument(title: string, page: VNode): string {
  const hash = createHash('sha256').update(css).digest('base64')
  const policy = `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'`
  return [
    '<!doctype html>',
    '<html lang="en">',
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="referrer" content="no-referrer">',
    renderToString(<title>{title}</title>),
    `<style>${css}</style>`,
    '</head>',
    `<body>${renderToString(page)}</body>`,
    '</html>\n',
  ].join('\n')
}

/** One file of HTML that needs nothing else: no script, no address, a style sheet that its policy knows by its hash. */
export function renderReport(data: ReportData): string {
  return fitted(harmless(data), (shown) => htmlDocument(shown.title, <ReportPage data={shown} />))
}

/** Every text of the data with its control characters, bidi marks and lone surrogates as letters; line ends are kept. */
function harmless(data: ReportData): ReportData {
  return JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' ? value.split('\n').map(visible).join('\n') : value,
  )
}
