import { scaleLinear, scaleUtc } from 'd3-scale'
import type { ComponentChildren } from 'preact'
import type { DayBin } from './day-bins.ts'
import { shortNumber } from './words.ts'

export const PLOT_HEIGHT = 200

/** What every chart has: a title, a sentence that says what it shows, the drawing, and the same numbers as a table. */
export function ChartFrame(props: {
  title: ComponentChildren
  meaning?: ComponentChildren
  children?: ComponentChildren
  /** The numbers as a table, closed at first. */
  table?: ComponentChildren
}) {
  return (
    <figure class="chart">
      <figcaption>
        <p class="title">{props.title}</p>
        {props.meaning !== undefined && <p>{props.meaning}</p>}
      </figcaption>
      {props.children}
      {props.table !== undefined && (
        <details>
          <summary>The numbers as a table</summary>
          {props.table}
        </details>
      )}
    </figure>
  )
}

/** The numbers left of a plot. Screen readers get the table. `top`: the number at the upper edge. */
export function CountAxis({ ticks, top }: { ticks: readonly number[]; top: number }) {
  return (
    <svg height={PLOT_HEIGHT + 22} aria-hidden="true">
      {ticks.map((tick) => (
        <text key={tick} x="90%" y={yOf(tick, top) + 4} text-anchor="end">
          {shortNumber(tick)}
        </text>
      ))}
    </svg>
  )
}

/** The lines of a plot and the dates under it. */
export function Grid(props: { counts: readonly number[]; top: number; times: readonly TimeTick[] }) {
  return (
    <g>
      {props.counts.map((tick) => (
        <line
          key={tick}
          class={tick === 0 ? 'base-line' : 'grid-line'}
          x2="100%"
          y1={yOf(tick, props.top)}
          y2={yOf(tick, props.top)}
        />
      ))}
      {props.times.map(({ at, label, wide }) => (
        <text
          key={at}
          class={wide ? 'wide' : undefined}
          x={`${at.toFixed(2)}%`}
          y={PLOT_HEIGHT + 18}
          text-anchor={at < 3 ? 'start' : at > 97 ? 'end' : 'middle'}
        >
          {label}
        </text>
      ))}
    </g>
  )
}

/** Pixels from the upper edge of a plot. */
export function yOf(value: number, top: number): number {
  return Number((PLOT_HEIGHT * (1 - value / top)).toFixed(2))
}

/** A tick of the time axis: its place in percent of the width. A narrow page shows only those that are not `wide`. */
interface TimeTick {
  readonly at: number
  readonly label: string
  readonly wide: boolean
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** A label that would be cut at either end of the axis is left out. */
const EDGE = 4

/** Ticks of days: each bin of a few, else round dates between the first and the last. */
export function dayTicks(bins: readonly DayBin[]): TimeTick[] {
  if (bins.length === 0) return []
  const [start, end] = [bins[0]!.start, bins.at(-1)!.end]
  const place = (ms: number) => ((ms - start) / (end - start)) * 100
  if (bins.length <= 7) {
    return thinned(bins.map((bin) => ({ at: place((bin.start + bin.end) / 2), label: bin.from })))
  }
  const dates = scaleUtc([start, end], [0, 100])
    .ticks(8)
    .filter((date) => date.getTime() % DAY_MS === 0 && place(date.getTime()) < 100 - EDGE)
  return thinned(dates.map((date) => ({ at: place(date.getTime()), label: dayLabel(date) })))
}

/** Ticks of a run of minutes or hours: the time of day, with the date where it changes. All UTC. */
export function clockTicks(start: number, end: number): TimeTick[] {
  if (end <= start) return [{ at: 0, label: clockLabel(new Date(start), undefined, false), wide: false }]
  if (end - start > 8 * DAY_MS) {
    const dates = scaleUtc([start, end], [0, 100]).ticks(6)
    return thinned(dates.map((date) => ({ at: place(date), label: dayLabel(date) })))
  }
  const dates = scaleUtc([start, end], [0, 100])
    .ticks(6)
    .filter((date) => place(date) < 100 - EDGE)
  const isFine = dates.some((date) => date.getTime() % MINUTE_MS !== 0)
  return thinned(
    dates.map((date, at) => ({ at: place(date), label: clockLabel(date, dates[at - 1], isFine) })),
  )

  function place(date: Date): number {
    return ((date.getTime() - start) / (end - start)) * 100
  }
}

/** Round numbers from zero to at least `most`; whole ones, since events are counted. */
export function countTicks(most: number): number[] {
  const top = Math.max(1, most)
  const ticks = scaleLinear([0, top], [0, 1]).nice(4).ticks(4).filter(Number.isInteger)
  return ticks.at(-1)! >= top ? ticks : [...ticks, Math.ceil(top)]
}

/** Every second or third tick is for narrow pages too, unless they are few. */
function thinned(ticks: readonly { at: number; label: string }[]): TimeTick[] {
  const each = ticks.length <= 3 ? 1 : ticks.length <= 8 ? 2 : 3
  return ticks.map((tick, at) => ({ ...tick, wide: at % each !== 0 }))
}

/** The year where it begins, else the month where that begins, else the day. */
function dayLabel(date: Date): string {
  const [year, month, day] = [date.getUTCFullYear(), MONTHS[date.getUTCMonth()]!, date.getUTCDate()]
  if (date.getUTCMonth() === 0 && day === 1) return String(year)
  return day === 1 ? month : `${day} ${month}`
}

function clockLabel(date: Date, before: Date | undefined, isFine: boolean): string {
  const [day, time] = [date.toISOString().slice(0, 10), date.toISOString().slice(11, isFine ? 19 : 16)]
  if (before?.toISOString().slice(0, 10) === day) return time
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${time}`
}
