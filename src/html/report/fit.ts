import type { ReportData } from '../../jobs/report/report-data.ts'
import { number } from '../../text/words.ts'

/** A page that can be sent by mail. */
const MOST_BYTES = 1_950_000
/** How long lists and texts may be, the first that fits. */
const SIZES = [
  { entries: 200, letters: 20_000 },
  { entries: 30, letters: 2000 },
  { entries: 12, letters: 500 },
  { entries: 4, letters: 200 },
]
/** Lists that are drawn, not listed: charts fold them by themselves, and a shorter one would be a false picture. */
const DRAWN = new Set(['cells', 'points', 'days', 'values', 'series'])

/** Renders the data, with shorter lists and texts until it is under 2 MB; the page says so where it had to. */
export function fitted(data: ReportData, render: (data: ReportData) => string): string {
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
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (value.length > letters) isCut = true
      return value.slice(0, letters)
    }
    if (Array.isArray(value)) {
      if (DRAWN.has(key)) return value
      if (value.length > entries) isCut = true
      return value.slice(0, entries).map((one) => walk(one, key))
    }
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, name)]))
  }
  const { days, ...rest } = data
  return { shorter: { ...(walk(rest, '') as ReportData), ...(days && { days }) }, isCut }
}
