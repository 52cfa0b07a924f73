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
/** How long lists and texts may be where the page would be larger, the first that fits. */
const SIZES = [
  { entries: 30, letters: 2000 },
  { entries: 4, letters: 200 },
]

/** Shorter lists and texts. The days are drawn, which folds them: fewer would be a false picture. */
function shortened({ days, ...rest }: ReportData, { entries, letters }: (typeof SIZES)[number]): ReportData {
  const short = JSON.parse(JSON.stringify(rest), (_, value) =>
    typeof value === 'string'
      ? value.slice(0, letters)
      : Array.isArray(value)
        ? value.slice(0, entries)
        : value,
  ) as ReportData
  const note = `Lists end after ${number(entries)} entries and texts after ${number(letters)} letters, so that this page is under 2 MB.`
  return { ...short, reduced: [...short.reduced, note], ...(days && { days }) }
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
  const whole = harmless(data)
  for (const shown of [whole, ...SIZES.map((size) => shortened(whole, size))]) {
    const page = htmlDocument(shown.title, <ReportPage data={shown} />)
    if (Buffer.byteLength(page) < MOST_BYTES) return page
  }
  throw new RangeError('the shortest page is over 2 MB')
}

/** Every text of the data with its control characters, bidi marks and lone surrogates as letters; line ends are kept. */
function harmless(data: ReportData): ReportData {
  return JSON.parse(JSON.stringify(data), (_, value) =>
    typeof value === 'string' ? value.split('\n').map(visible).join('\n') : value,
  )
}
