import { PLOT_HEIGHT } from './chart-frame.tsx'
import type { TimeTick } from './ticks.ts'
import { shortNumber } from './words.ts'

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
