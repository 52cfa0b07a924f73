import { line } from 'd3-shape'
import type { ComponentChildren } from 'preact'
import type { ComparedChartPart } from '../../jobs/index.ts'
import { ChartFrame, CountAxis, countTicks, dayTicks, Grid, PLOT_HEIGHT, yOf } from './chart-frame.tsx'
import { addedUp, binText, dayBins } from './day-bins.ts'
import { right, TableView } from './table.tsx'

const MOST_POINTS = 400
/** Each line has a dash of its own, so that lines that lie on each other are both seen. */
const LOOKS = ['line-0', 'line-1', 'line-2'] as const

/** Lines over the same days, one over the other: at most three. `id` is unique in the page. */
export function LineChart(props: {
  id: string
  title: ComponentChildren
  meaning?: ComponentChildren
  days: readonly string[]
  lines: ComparedChartPart['series']
}) {
  const { id } = props
  const lines = props.lines.slice(0, LOOKS.length)
  const bins = dayBins(props.days, MOST_POINTS)
  const places = props.days.map((day) => bins.indexOf(day))
  const drawn = lines.map((one) => ({ name: one.name, points: addedUp(bins.bins, places, [one]) }))
  const counts = countTicks(Math.max(0, ...drawn.flatMap(({ points }) => points)))
  const top = counts.at(-1)!
  const x = (at: number) => ((at + 0.5) / bins.bins.length) * 1000
  return (
    <ChartFrame
      title={props.title}
      meaning={props.meaning}
      table={
        <TableView
          caption="the same numbers"
          columns={[{ label: bins.size }, ...lines.map(({ name }) => right(name))]}
          rows={bins.bins.map((bin, at) => [binText(bin), ...drawn.map(({ points }) => points[at] ?? 0)])}
        />
      }
    >
      <div class="plot">
        <CountAxis ticks={counts} top={top} />
        <svg height={PLOT_HEIGHT + 22} role="img" aria-labelledby={`${id}-t`}>
          <title id={`${id}-t`}>{props.title}</title>
          <Grid counts={counts} top={top} times={dayTicks(bins.bins)} />
          <svg
            aria-hidden="true"
            viewBox={`0 0 1000 ${PLOT_HEIGHT}`}
            height={PLOT_HEIGHT}
            preserveAspectRatio="none"
          >
            {drawn.map(({ name, points }, at) => (
              <path
                key={name}
                class={`day-line ${LOOKS[at]}`}
                d={
                  line<number>(
                    (_, place) => x(place),
                    (value) => yOf(value, top),
                  ).digits(1)(points.length === 1 ? [points[0]!, points[0]!] : points) ?? ''
                }
              />
            ))}
          </svg>
        </svg>
      </div>
      <ul class="legend">
        {drawn.map(({ name }, at) => (
          <li key={name}>
            <svg width="26" height="14" aria-hidden="true">
              <line class={`day-line ${LOOKS[at]}`} y1="7" x2="26" y2="7" />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </ChartFrame>
  )
}
