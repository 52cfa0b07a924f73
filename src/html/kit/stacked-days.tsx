import { stack } from 'd3-shape'
import type { ComponentChildren } from 'preact'
import { number } from '../../text/words.ts'
import { ChartFrame, CountAxis, countTicks, dayTicks, Grid, PLOT_HEIGHT, yOf } from './chart-frame.tsx'
import { addedUp, binText, type DayBin, type DayBins, dayBins } from './day-bins.ts'
import { shortName } from './parts.tsx'
import { Legend, lookOf, paintOf, SERIES_COLOURS, type SeriesLook, SeriesPatterns } from './series.tsx'
import { right, TableView } from './table.tsx'

export interface DaySeries {
  readonly name: string
  /** A count for each of the chart's days. */
  readonly values: readonly number[]
  /** Its colour, 0 to 7, so that a name looks the same in all charts of a page; its place in the list otherwise. */
  readonly colour?: number
  /** True for what stands for all other names: it has no colour of its own. */
  readonly isRest?: boolean
}

interface Layer {
  readonly name: string
  readonly look: SeriesLook
  /** A count for each bin. */
  readonly counts: readonly number[]
}

/** Letters of a name in the title of each bar. A page has a thousand of them. */
const MOST_IN_TITLE = 24
/** More bars than this would be thinner than the gaps between them. */
const LEAST_HEIGHT = 1.5
const MOST_BARS = 130

/**
 * Counts by UTC day, a bar a day (a week, a month … when the days are many), stacked by name. The first eight series have
 * colours; the others are one. `id` is unique in the page. `days` is `YYYY-MM-DD` in any order; days without events may be left out.
 */
export function StackedDays(props: {
  id: string
  title: ComponentChildren
  meaning?: ComponentChildren
  days: readonly string[]
  series: readonly DaySeries[]
  /** What is counted, for texts: `events`. */
  unit?: string
  /** More days that the axis has to reach, and a count: charts that share them can be compared. */
  reach?: { days: readonly string[]; count: number }
}) {
  const { id, unit = 'events' } = props
  const bins = dayBins([...props.days, ...(props.reach?.days ?? [])], MOST_BARS)
  const layers = layersOf(props.days, props.series, bins)
  const totals = bins.bins.map((_, at) => layers.reduce((sum, { counts }) => sum + counts[at]!, 0))
  const counts = countTicks(Math.max(props.reach?.count ?? 0, ...totals))
  const top = counts.at(-1)!
  const looks = layers.map(({ look }) => look)
  return (
    <ChartFrame
      title={props.title}
      meaning={
        <>
          {props.meaning} {spanOf(bins.bins)} Each bar is a {bins.size} (UTC).
        </>
      }
      table={<Numbers bins={bins} layers={layers} totals={totals} unit={unit} />}
    >
      <div class="plot">
        <CountAxis ticks={counts} top={top} />
        <svg height={PLOT_HEIGHT + 22} role="img" aria-labelledby={`${id}-t ${id}-d`}>
          <title id={`${id}-t`}>{props.title}</title>
          <desc id={`${id}-d`}>{summaryOf(bins.bins, totals, unit)}</desc>
          <SeriesPatterns chart={id} looks={looks} />
          <Grid counts={counts} top={top} times={dayTicks(bins.bins)} />
          <Bars chart={id} bins={bins.bins} layers={layers} top={top} />
          {bins.bins.map((bin, at) => (
            <rect key={bin.from} class="hover" {...placeOf(bins.bins, at, 0)} height={PLOT_HEIGHT}>
              <title>{titleOf(bin, at, layers, `${number(totals[at]!)} ${unit}`)}</title>
            </rect>
          ))}
        </svg>
      </div>
      <Legend chart={id} series={layers} />
    </ChartFrame>
  )
}

function Bars(props: { chart: string; bins: readonly DayBin[]; layers: readonly Layer[]; top: number }) {
  const { bins, layers, top } = props
  const stacked = stack<unknown, number, number>()
    .keys(layers.keys())
    .value((at, layer) => layers[layer]!.counts[at]!)(bins.keys())
  const gap = bins.length > 90 ? 0.08 : 0.14
  return stacked.map((spans, layer) => (
    <g key={layers[layer]!.look.colour} {...paintOf(props.chart, layers[layer]!.look)}>
      {spans.map(([low, high], at) =>
        high === low ? null : (
          <rect
            key={bins[at]!.from}
            {...placeOf(bins, at, gap)}
            y={yOf(low, top) - heightOf(low, high, top)}
            height={heightOf(low, high, top).toFixed(2)}
          />
        ),
      )}
    </g>
  ))
}

/** Pixels. What is more than nothing is never too low to be seen, beside days of a thousand times as many. */
function heightOf(low: number, high: number, top: number): number {
  return Math.max(LEAST_HEIGHT, yOf(low, top) - yOf(high, top))
}

function Numbers(props: {
  bins: DayBins
  layers: readonly Layer[]
  totals: readonly number[]
  unit: string
}) {
  const { bins, layers, totals } = props
  const filled = bins.bins.flatMap((bin, at) => (totals[at]! > 0 ? [{ bin, at }] : []))
  return (
    <TableView
      caption={`${props.unit} by ${bins.size} and name; a ${bins.size} without any is left out`}
      columns={[{ label: bins.size }, right('all'), ...layers.map(({ name }) => right(shortName(name, 30)))]}
      rows={filled.map(({ bin, at }) => [
        binText(bin),
        totals[at]!,
        ...layers.map(({ counts }) => counts[at]!),
      ])}
    />
  )
}

function layersOf(days: readonly string[], series: readonly DaySeries[], bins: DayBins): Layer[] {
  const places = days.map((day) => bins.indexOf(day))
  const countsOf = (some: readonly DaySeries[]) => addedUp(bins.bins, places, some)
  const named = series.filter(({ isRest }) => !isRest)
  const own = named.slice(0, SERIES_COLOURS)
  const rest = [...named.slice(SERIES_COLOURS), ...series.filter(({ isRest }) => isRest)]
  const layers = own.map((one, at) => ({
    name: one.name,
    look: lookOf(one.colour ?? at),
    counts: countsOf([one]),
  }))
  if (rest.length === 0) return layers
  const name = rest.length === 1 ? rest[0]!.name : `${number(rest.length)} other names`
  return [...layers, { name, look: lookOf(SERIES_COLOURS), counts: countsOf(rest) }]
}

/** Where a bar is from left to right. `gap`: how much of its place is left free. */
function placeOf(bins: readonly DayBin[], at: number, gap: number): { x: string; width: string } {
  const [start, end] = [bins[0]!.start, bins.at(-1)!.end]
  const bin = bins[at]!
  const share = (ms: number) => (ms / (end - start)) * 100
  // A single bar as wide as the page would not look like a day.
  const free = bins.length === 1 ? 0.8 : gap
  const width = share(bin.end - bin.start)
  return {
    x: `${(share(bin.start - start) + (width * free) / 2).toFixed(2)}%`,
    width: `${(width * (1 - free)).toFixed(2)}%`,
  }
}

function titleOf(bin: DayBin, at: number, layers: readonly Layer[], total: string): string {
  const parts = layers
    .filter(({ counts }) => counts[at]! > 0)
    .map(({ name, counts }) => `\n${number(counts[at]!)} ${shortName(name, MOST_IN_TITLE)}`)
  return `${binText(bin)}: ${total}${parts.join('')}`
}

function spanOf(bins: readonly DayBin[]): string {
  if (bins.length === 0) return ''
  const [from, to] = [bins[0]!.from, bins.at(-1)!.to]
  return from === to ? `${from}.` : `${from} to ${to}.`
}

function summaryOf(bins: readonly DayBin[], totals: readonly number[], unit: string): string {
  if (bins.length === 0) return `No ${unit}.`
  const most = totals.indexOf(Math.max(...totals))
  const sum = totals.reduce((all, one) => all + one, 0)
  return `${number(sum)} ${unit} from ${bins[0]!.from} to ${bins.at(-1)!.to}, at most ${number(totals[most]!)} in ${binText(bins[most]!)}.`
}

/** The highest bar of a chart of these days, with those of `reach` on its axis too. */
export function highestBar(
  days: readonly string[],
  series: readonly DaySeries[],
  reach: readonly string[],
): number {
  const { bins, indexOf } = dayBins([...days, ...reach], MOST_BARS)
  return Math.max(0, ...addedUp(bins, days.map(indexOf), series))
}
