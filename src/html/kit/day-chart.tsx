import { number } from '../../text/words.ts'
import { right, TableView } from './table.tsx'
import { shortNumber } from './words.ts'

const HEIGHT = 180
const MOST_BARS = 130
/** A day of one event is seen beside a day of a million. */
const LEAST_HEIGHT = 1.5

interface DayCount {
  readonly day: string
  readonly count: number
}

interface Bar {
  /** `2024-03-01`, `2024-03` or `2024`. */
  readonly span: string
  readonly count: number
  /** Milliseconds since the epoch: its first instant, and the first one after it. */
  readonly start: number
  readonly end: number
}

/** Events by UTC day (month or year, where the days are many) as bars. `days` may be in any order, and leave out days. */
export function DayChart({ days }: { days: readonly DayCount[] }) {
  const { size, bars } = barsOf(days)
  if (bars.length === 0) return null
  const [first, last] = [bars[0]!, bars.at(-1)!]
  const most = Math.max(...bars.map(({ count }) => count))
  const all = bars.reduce((sum, { count }) => sum + count, 0)
  const share = (ms: number): number => (ms / (last.end - first.start)) * 100
  return (
    <figure class="chart">
      <figcaption>
        {number(all)} events from {first.span} to {last.span}. Each bar is a {size} (UTC).
      </figcaption>
      <div class="plot">
        <svg height={HEIGHT} aria-hidden="true">
          <text x="90%" y="10" text-anchor="end">
            {shortNumber(most)}
          </text>
          <text x="90%" y={HEIGHT} text-anchor="end">
            0
          </text>
        </svg>
        <svg height={HEIGHT} role="img" aria-label={`Events by ${size}, at most ${number(most)}`}>
          {bars.map(({ span, count, start, end }) => {
            const height = count === 0 ? 0 : Math.max(LEAST_HEIGHT, (count / Math.max(most, 1)) * HEIGHT)
            const place = {
              x: `${share(start - first.start).toFixed(2)}%`,
              width: `${(share(end - start) * 0.88).toFixed(2)}%`,
            }
            return (
              <g key={span}>
                <rect class="bar" {...place} y={HEIGHT - height} height={height.toFixed(2)} />
                <rect {...place} height={HEIGHT} fill="transparent">
                  <title>{`${span}: ${number(count)}`}</title>
                </rect>
              </g>
            )
          })}
          <line x2="100%" y1={HEIGHT} y2={HEIGHT} />
        </svg>
        <span />
        <div class="ends">
          <span>{first.span}</span>
          <span>{last.span}</span>
        </div>
      </div>
      <details>
        <summary>The numbers as a table</summary>
        <TableView
          caption={`Events by ${size}; a ${size} without any is left out`}
          columns={[{ label: size }, right('events')]}
          rows={bars.map(({ span, count }) => [span, count])}
        />
      </details>
    </figure>
  )
}

/** Bars of days if their span is short enough, else of months, else of years. */
function barsOf(days: readonly DayCount[]): { size: string; bars: Bar[] } {
  const dated = days.filter(({ day }) => /^\d{4}-\d{2}-\d{2}$/.test(day))
  const ofDays = barsBy(10, dated)
  if (lengthOf(ofDays) <= MOST_BARS) return { size: 'day', bars: ofDays }
  const ofMonths = barsBy(7, dated)
  if (lengthOf(ofMonths) <= MOST_BARS) return { size: 'month', bars: ofMonths }
  return { size: 'year', bars: barsBy(4, dated) }
}

function barsBy(letters: number, days: readonly DayCount[]): Bar[] {
  const counts = new Map<string, number>()
  for (const { day, count } of days) {
    const span = day.slice(0, letters)
    counts.set(span, (counts.get(span) ?? 0) + count)
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([span, count]): Bar => ({ span, count, start: Date.parse(span), end: endOf(span) }))
}

/** How many bars would stand side by side if none were left out. */
function lengthOf(bars: readonly Bar[]): number {
  const [first, last] = [bars[0], bars.at(-1)]
  return first && last ? (last.end - first.start) / (first.end - first.start) : 0
}

function endOf(span: string): number {
  const date = new Date(span)
  if (span.length === 4) date.setUTCFullYear(date.getUTCFullYear() + 1)
  else if (span.length === 7) date.setUTCMonth(date.getUTCMonth() + 1)
  else date.setUTCDate(date.getUTCDate() + 1)
  return date.getTime()
}
