import { amountText, plural } from '../../text/index.ts'
import type { ComparedChart } from '../compare/compared.ts'
import type { CompareResult } from '../compare/result.ts'
import { cutText, MOST_ROWS } from './bounds.ts'
import type { ComparedChartPart, ComparePart } from './compare-data.ts'
import type { ReportVerdict } from './report-data.ts'

/** What a comparison comes to, for the top of a page. */
export function compareVerdict({ equal, unexplained, charts }: CompareResult): ReportVerdict {
  if (unexplained === null)
    return { level: 'good', title: 'The charts agree, and every difference has its cause.' }
  const text = `Most in ${cutText(unexplained.chart)}: ${amountText(unexplained.amount)}.`
  if (equal) return { level: 'good', title: 'The charts agree within the tolerance.', text }
  const of = `${unexplained.charts} of ${plural(charts.length, 'chart')}`
  return { level: 'error', title: `What nobody explains is beyond the tolerance in ${of}.`, text }
}

type Side = 'vendor' | 'dataset' | 'posthog'

/** Of a chart, so many causes are told. */
const MOST_CAUSES = 6
/** Of a chart that is no line, so many numbers are listed. */
const MOST_NUMBERS = 100

/** What a page shows of a comparison. `charts`: with all their numbers, for their lines; none of a comparison that is kept. */
export function comparePart(
  result: CompareResult,
  charts: readonly ComparedChart[],
  page: string | null = null,
): ComparePart {
  const named = new Map(charts.map((chart) => [chart.chart.name, chart]))
  const sides = sidesOf(result)
  const { vendor, posthog } = result.zones
  return {
    sides: sides.map(([, name]) => name),
    zones: [...new Set([vendor, posthog].filter((zone) => zone !== null))].map((zone) => cutText(zone)),
    first: result.first ?? '',
    last: result.last ?? '',
    charts: result.charts.slice(0, MOST_ROWS).map((chart) => chartPart(chart, named.get(chart.name), sides)),
    moreCharts: Math.max(0, result.charts.length - MOST_ROWS),
    page,
    causes: result.causes.map(({ text, amount, chart, example }) =>
      cutText(
        `${text}: ${amountText(amount)}, such as ${amountText(example.amount)} at ${example.at} of ${chart}`,
        400,
      ),
    ),
  }
}

function sidesOf({ with: vendor }: CompareResult): (readonly [Side, string])[] {
  return [
    ...(vendor === null ? [] : [['vendor', vendor] as const]),
    ['dataset', 'dataset'] as const,
    ['posthog', 'PostHog'] as const,
  ]
}

function chartPart(
  { name, numbers, unexplained, equal, causes }: CompareResult['charts'][number],
  compared: ComparedChart | undefined,
  sides: readonly (readonly [Side, string])[],
): ComparedChartPart {
  const isOverTime = compared?.chart.query.kind === 'series' && compared.chart.query.interval !== 'whole'
  const rows = rowsOf(compared, isOverTime)
  return {
    name: cutText(name),
    totals: sides.map(([side]) => numbers[side]),
    unexplained: unexplained.amount,
    share: unexplained.share,
    isEqual: equal,
    causes: causes.slice(0, MOST_CAUSES).map(({ text, amount }) => cutText(`${text}: ${amountText(amount)}`)),
    days: rows.map(({ at }) => at),
    isOverTime,
    series: sides.map(([side, label]) => ({ name: label, values: rows.map((row) => row[side]) })),
  }
}

type NumbersRow = { readonly at: string } & Readonly<Record<Side, number | null>>

/** The numbers of a chart: of one over time a row a day, the values of a property added up. */
function rowsOf(compared: ComparedChart | undefined, isOverTime: boolean): readonly NumbersRow[] {
  if (!compared) return []
  if (!isOverTime)
    return compared.cells
      .slice(0, MOST_NUMBERS)
      .map(({ at, by, ...row }) => ({ ...row, at: cutText(by === null ? at : `${at} ${by}`) }))
  const rows = new Map<string, { at: string } & Record<Side, number | null>>()
  for (const { at, vendor, dataset, posthog } of compared.cells) {
    const row = rows.get(at) ?? { at, vendor: null, dataset: null, posthog: null }
    rows.set(at, {
      at,
      vendor: added(row.vendor, vendor),
      dataset: added(row.dataset, dataset),
      posthog: added(row.posthog, posthog),
    })
  }
  return [...rows.values()].sort((a, b) => (a.at < b.at ? -1 : 1))
}

function added(a: number | null, b: number | null): number | null {
  return a === null ? b : a + (b ?? 0)
}
