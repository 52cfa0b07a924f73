import { createHash } from 'node:crypto'
import type { VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { ReportData } from '../../commands/report/report-data.ts'
import { isJsonObject } from '../../text/json.ts'
import { visible } from '../../text/visible.ts'
import { number } from '../../text/words.ts'
import { ReportPage } from './page.tsx'
import css from './report.css?inline'

/** A page that can be sent by mail. */
const MOST_BYTES = 1_950_000
/** How long lists and texts may be where the page would be larger, the first that fits. */
const SIZES = [
  { entries: 30, letters: 1000 },
  { entries: 10, letters: 100 },
]

/** Shorter lists, tallies and texts. Of parts the page shows the first and the last day alone. */
function shortened<T>(value: T, size: (typeof SIZES)[number]): T {
  const { entries, letters } = size
  const shorter = (value: unknown, name: string): unknown => {
    if (typeof value === 'string') return value.slice(0, letters)
    if (name === 'parts') return value
    if (Array.isArray(value)) return value.slice(0, entries).map((one) => shorter(one, ''))
    if (!isJsonObject(value)) return value
    const rows = Object.entries(value)
    // Names of the data lead all to counts, or all to objects; our own are fewer, or lead to values of several kinds.
    const isTally = rows.length > entries && new Set(rows.map(([, one]) => typeof one)).size === 1
    const shown = isTally ? rows.sort(([, a], [, b]) => Number(b) - Number(a)).slice(0, entries) : rows
    return Object.fromEntries(shown.map(([key, one]) => [key.slice(0, letters), shorter(one, key)]))
  }
  return shorter(value, '') as T
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
  for (const size of [undefined, ...SIZES]) {
    const shown = size ? shortened(whole, size) : whole
    const note =
      size &&
      `Lists end after ${number(size.entries)} entries and texts after ${number(size.letters)} letters, so that this page is under 2 MB.`
    const page = htmlDocument(
      shown.title,
      <ReportPage data={note ? { ...shown, reduced: [...shown.reduced, note] } : shown} />,
    )
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
