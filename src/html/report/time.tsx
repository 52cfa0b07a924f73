import type { DaysPart, PacePart } from '../../commands/report/report-data.ts'
import { number, plural } from '../../text/words.ts'
import { PaceChart } from '../kit/pace-chart.tsx'
import { shortName } from '../kit/parts.tsx'
import { SERIES_COLOURS } from '../kit/series.tsx'
import { type DaySeries, highestBar, StackedDays } from '../kit/stacked-days.tsx'
import { Some } from './fold.tsx'

const PLACES = { source: 'In the source', dataset: 'In the dataset', service: 'In PostHog' } as const

/** The same days at each place of the way, on the same axes and in the same colours, so that a difference is seen. */
export function Days({ parts }: { parts: readonly DaysPart[] }) {
  const all = parts.flatMap(({ days }) => days)
  const charts = parts.slice(0, 6).map((part) => ({ part, series: seriesOf(part, coloursOf(parts)) }))
  const count = Math.max(...charts.map(({ part, series }) => highestBar(part.days, series, all)))
  return charts.map(({ part, series }, at) => (
    <StackedDays
      key={part.place}
      id={`days-${at}`}
      title={`${PLACES[part.place]}: ${plural(part.total, part.unit.slice(0, -1))}`}
      meaning={`${part.meaning}${part.undated > 0 ? ` ${number(part.undated)} of no known day are not in the chart.` : ''}`}
      days={part.days}
      series={series}
      unit={part.unit}
      reach={{ days: all, count }}
    />
  ))
}

/** The most frequent names of the datasets have the colours; names that only another place has take what is left there. */
function coloursOf(parts: readonly DaysPart[]): readonly string[] {
  const first = parts.find(({ place }) => place === 'dataset') ?? parts[0]
  const names = (first?.series ?? []).flatMap(({ name }) => (name === null ? [] : [name]))
  return names.slice(0, SERIES_COLOURS)
}

function seriesOf(part: DaysPart, colours: readonly string[]): DaySeries[] {
  const named = part.series.flatMap(({ name, values }) => (name === null ? [] : [{ name, values }]))
  const shown = named.slice(0, SERIES_COLOURS)
  const own = (name: string) => colours.indexOf(name)
  const free = Array.from({ length: SERIES_COLOURS }, (_, at) => at).filter(
    (at) => !shown.some(({ name }) => own(name) === at),
  )
  const coloured = shown
    .map((one) => ({ ...one, colour: own(one.name) >= 0 ? own(one.name) : free.shift()! }))
    .sort((a, b) => a.colour - b.colour)
  const rest = [...named.slice(SERIES_COLOURS), ...part.series.filter(({ name }) => name === null)]
  if (rest.length === 0) return coloured
  const values = part.days.map((_, at) => rest.reduce((sum, one) => sum + (one.values[at] ?? 0), 0))
  return [...coloured, { name: restName(part, named.length - shown.length), values, isRest: true }]
}

function restName(part: DaysPart, cut: number): string {
  const rest = part.series.find(({ name }) => name === null)
  if (rest === undefined) return plural(cut, 'other name')
  return rest.names === undefined ? 'all other names' : plural(cut + rest.names, 'other name')
}

/** What a chart of one minute without a pause would show; undefined for anything longer. */
function ofOneMinute({ points, pauses, capPerMinute }: PacePart) {
  const last = points.at(-1)
  // The minute's beginning and its end.
  if (last === undefined || points.length > 2 || pauses.length > 0) return undefined
  const cap = capPerMinute === undefined ? '' : `, with ${number(capPerMinute)} allowed`
  return (
    <p>
      All of it took no more than a minute, without a pause: {plural(last.perMinute, 'event')}
      {cap}.
    </p>
  )
}

/** How fast the events were sent, against what was allowed. */
export function PaceSection({ parts }: { parts: readonly PacePart[] }) {
  return (
    <Some things={parts} most={6} one="input" name={({ input }) => input}>
      {(part, at) =>
        ofOneMinute(part) ?? (
          <PaceChart
            id={`pace-${at}`}
            title={`Events a minute of ${shortName(part.input)}`}
            meaning={
              part.pauses.length === 0 ? 'Without a pause.' : `With ${plural(part.pauses.length, 'pause')}.`
            }
            points={part.points}
            cap={part.capPerMinute}
            pauses={part.pauses}
          />
        )
      }
    </Some>
  )
}
