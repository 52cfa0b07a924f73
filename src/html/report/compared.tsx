import type { ComparedChartPart, ComparePart } from '../../jobs/index.ts'
import { amountText, plural } from '../../text/index.ts'
import { LineChart } from '../kit/line-chart.tsx'
import { Name, Notice, shortName } from '../kit/parts.tsx'
import { right, TableView } from '../kit/table.tsx'
import { percent } from '../kit/words.ts'
import { FoldedPart, Some } from './fold.tsx'

/** Who was asked of which days. */
export function comparedLead({ sides, zones, first, last }: ComparePart) {
  const inZones = zones.length === 0 ? '' : ` Days are those of ${zones.join(' and ')}.`
  return `The same questions, ${first} to ${last}, to ${sides.join(', ')}, and why their numbers differ; what no cause explains comes first.${inZones}`
}

/** The charts as a table, why they differ, and the lines of each over each other. */
export function ComparedSection({ part }: { part: ComparePart }) {
  const drawn = part.charts.filter(({ isOverTime, days }) => isOverTime && days.length > 0)
  const listed = part.charts.filter(({ isOverTime, days }) => !isOverTime && days.length > 0)
  return (
    <>
      {part.causes.length > 0 && (
        <Notice level="note" title="Why the numbers differ">
          <ul>
            {part.causes.slice(0, 40).map((cause) => (
              <li key={cause}>{cause.slice(0, 500)}</li>
            ))}
          </ul>
        </Notice>
      )}
      <FoldedPart rows={part.charts} what="charts">
        {(rows) => <ChartRows part={part} rows={rows} />}
      </FoldedPart>
      <Some things={drawn} most={40} one="chart">
        {(chart, at) => (
          <LineChart
            id={`compared-${at}`}
            title={shortName(chart.name, 120)}
            meaning={meaningOf(chart)}
            days={chart.days}
            lines={chart.series}
          />
        )}
      </Some>
      <Some things={listed} most={40} one="chart" name={({ name }) => name}>
        {(chart) => <Numbers chart={chart} />}
      </Some>
      {part.page !== null && <LinkedPage path={part.page} />}
      {part.moreCharts > 0 && (
        <p class="soft">
          {plural(part.moreCharts, 'more chart')} are in the output of posthaul compare --json.
        </p>
      )}
    </>
  )
}

/** Leads to the page of the comparison, if its path is one that a browser takes as it is. */
function LinkedPage({ path }: { path: string }) {
  const name = <Name text={path} most={120} />
  return <p>The lines of each chart are on {/^[\w./-]+$/.test(path) ? <a href={path}>{name}</a> : name}.</p>
}

function ChartRows({ part, rows }: { part: ComparePart; rows: readonly ComparedChartPart[] }) {
  return (
    <TableView
      caption="a row a chart, what is unexplained first"
      columns={[{ label: 'chart' }, ...[...part.sides, 'unexplained'].map(right), { label: 'explained by' }]}
      rows={rows.map(({ name, totals, unexplained, share, isEqual, causes }) => [
        <Name text={name} most={80} />,
        ...totals.map((total) => (total === null ? '–' : amountText(total))),
        unexplained === 0 ? '0' : `${amountText(unexplained)} (${percent(share)})${isEqual ? '' : ' !'}`,
        causes.length === 0 ? '–' : causes.join('; ').slice(0, 300),
      ])}
    />
  )
}

function Numbers({ chart }: { chart: ComparedChartPart }) {
  return (
    <TableView
      caption={meaningOf(chart)}
      columns={[{ label: 'of' }, ...chart.series.map(({ name }) => right(name))]}
      rows={chart.days
        .slice(0, 100)
        .map((day, at) => [day, ...chart.series.map(({ values }) => amountText(values[at] ?? 0))])}
    />
  )
}

function meaningOf({ unexplained, share, causes }: ComparedChartPart): string {
  const rest =
    unexplained === 0
      ? 'Nothing is unexplained.'
      : `Unexplained: ${amountText(unexplained)} (${percent(share)}).`
  return `${rest} ${causes.join('; ')}`.trim().slice(0, 500)
}
