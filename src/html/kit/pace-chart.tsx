import { area, line } from 'd3-shape'
import type { ComponentChildren } from 'preact'
import type { PacePart } from '../../commands/report/report-data.ts'
import { number, plural, span } from '../../text/words.ts'
import { ChartFrame, CountAxis, clockTicks, countTicks, Grid, PLOT_HEIGHT, yOf } from './chart-frame.tsx'
import { right, TableView } from './table.tsx'
import { instant } from './words.ts'

type PacePoint = PacePart['points'][number]
type Pause = PacePart['pauses'][number]

const MOST_POINTS = 400
const MOST_PAUSES = 50

/** Events a minute over time against the cap, with the pauses shaded. `id` is unique in the page; points are in time order. */
export function PaceChart(props: {
  id: string
  title: ComponentChildren
  meaning?: ComponentChildren
  points: readonly PacePoint[]
  /** Events a minute that were allowed. */
  cap?: number | undefined
  pauses?: readonly Pause[]
}) {
  const { id, cap, pauses = [] } = props
  const points = thinned(props.points)
  const times = [...points.map(({ at }) => at), ...pauses.flatMap(({ from, to }) => [from, to])]
  const start = times.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY)
  const end = times.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY)
  const most = points.reduce((top, { perMinute }) => Math.max(top, perMinute), 0)
  const counts = countTicks(Math.max(most, cap ?? 0))
  const top = counts.at(-1)!
  const x = (at: number) => (end > start ? ((at - start) / (end - start)) * 1000 : 0)
  const percentOf = (at: number) => `${(x(at) / 10).toFixed(2)}%`
  // At least a hair's breadth, however short the pause was.
  const widthOf = ({ from, to }: Pause) => `${Math.max(0.2, (x(to) - x(from)) / 10).toFixed(2)}%`
  const shape = points.length === 1 ? [points[0]!, { ...points[0]!, at: end + 1 }] : points
  return (
    <ChartFrame
      title={props.title}
      meaning={props.meaning}
      table={<Numbers points={points} pauses={pauses} />}
    >
      {times.length > 0 && (
        <div class="plot">
          <CountAxis ticks={counts} top={top} />
          <svg height={PLOT_HEIGHT + 22} role="img" aria-labelledby={`${id}-t ${id}-d`}>
            <title id={`${id}-t`}>{props.title}</title>
            <desc id={`${id}-d`}>{summaryOf({ start, end, most, cap, pauses })}</desc>
            <Grid counts={counts} top={top} times={clockTicks(start, end)} />
            {pauses.slice(0, MOST_PAUSES).map((pause) => (
              <g key={pause.from}>
                <rect class="pause" x={percentOf(pause.from)} width={widthOf(pause)} height={PLOT_HEIGHT}>
                  <title>{`Paused ${instant(pause.from)} for ${span(pause.to - pause.from)}: ${pause.reason}`}</title>
                </rect>
                <rect class="pause-mark" x={percentOf(pause.from)} width={widthOf(pause)} height="4" />
              </g>
            ))}
            {/* Only the line is stretched to the width; letters and pauses are placed by percentages. */}
            <svg
              aria-hidden="true"
              viewBox={`0 0 1000 ${PLOT_HEIGHT}`}
              height={PLOT_HEIGHT}
              preserveAspectRatio="none"
            >
              <path
                class="pace-area"
                d={
                  area<PacePoint>(
                    ({ at }) => x(at),
                    PLOT_HEIGHT,
                    ({ perMinute }) => yOf(perMinute, top),
                  ).digits(1)(shape) ?? ''
                }
              />
              <path
                class="pace-line"
                d={
                  line<PacePoint>(
                    ({ at }) => x(at),
                    ({ perMinute }) => yOf(perMinute, top),
                  ).digits(1)(shape) ?? ''
                }
              />
            </svg>
            {cap !== undefined && (
              <g>
                <line class="cap-line" x2="100%" y1={yOf(cap, top)} y2={yOf(cap, top)} />
                <text class="cap-text" x="100%" y={yOf(cap, top) - 5} text-anchor="end">
                  cap {number(cap)}
                </text>
              </g>
            )}
          </svg>
        </div>
      )}
      <ul class="legend">
        <Key paint="series-0" text="events a minute" />
        {cap !== undefined && <Key paint="cap-line" text="the cap, a dashed line" />}
        {pauses.length > 0 && <Key paint="pause" text="paused" />}
      </ul>
    </ChartFrame>
  )
}

function Key({ paint, text }: { paint: string; text: string }) {
  return (
    <li>
      <svg width="18" height="14" aria-hidden="true">
        {paint === 'cap-line' ? (
          <line class={paint} y1="7" x2="18" y2="7" />
        ) : (
          <rect class={paint} width="18" height="14" rx="2" />
        )}
      </svg>
      {text}
    </li>
  )
}

function Numbers({ points, pauses }: { points: readonly PacePoint[]; pauses: readonly Pause[] }) {
  return (
    <>
      <TableView
        caption="events a minute"
        columns={[{ label: 'time' }, right('events a minute')]}
        rows={points.map(({ at, perMinute }) => [instant(at), perMinute])}
      />
      {pauses.length > 0 && (
        <TableView
          caption={`pauses${pauses.length > MOST_PAUSES ? `: the first ${MOST_PAUSES} of ${number(pauses.length)}` : ''}`}
          columns={[{ label: 'from' }, right('for'), { label: 'reason' }]}
          rows={pauses
            .slice(0, MOST_PAUSES)
            .map(({ from, to, reason }) => [instant(from), span(to - from), reason])}
        />
      )}
    </>
  )
}

/** At most 400 points: of each stretch of time the highest, so that nothing above the cap is lost. */
function thinned(points: readonly PacePoint[]): readonly PacePoint[] {
  if (points.length <= MOST_POINTS) return points
  const each = Math.ceil(points.length / MOST_POINTS)
  return Array.from({ length: Math.ceil(points.length / each) }, (_, at) =>
    points
      .slice(at * each, (at + 1) * each)
      .reduce((most, point) => (point.perMinute > most.perMinute ? point : most)),
  )
}

interface Pace {
  readonly start: number
  readonly end: number
  readonly most: number
  readonly cap: number | undefined
  readonly pauses: readonly Pause[]
}

function summaryOf({ start, end, most, cap, pauses }: Pace) {
  const limit = cap === undefined ? '' : `, with ${number(cap)} allowed`
  const waits = pauses.length === 0 ? 'No pauses.' : `${plural(pauses.length, 'pause')}.`
  return `From ${instant(start)} to ${instant(end)} at most ${number(most)} events a minute${limit}. ${waits}`
}
