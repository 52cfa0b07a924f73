import { type Chart, type ChartSpan, sixDigits } from '../../charts/index.ts'
import { CAUSES, type ExplainedCell } from '../../compare/index.ts'
import { sum } from '../../text/index.ts'
import type { ComparedChart } from './compared.ts'
import type { CompareResult } from './result.ts'

type ChartJson = CompareResult['charts'][number]
type CauseJson = ChartJson['causes'][number]
type At = CauseJson['example']

/** What of a number may stay unexplained, as a share. */
export interface Tolerance {
  readonly events: number
  readonly people: number
}

/** What a comparison came to, for its result. */
export interface CompareSubject {
  readonly datasets: readonly string[]
  readonly with: string | null
  readonly span: ChartSpan
  readonly zones: CompareResult['zones']
  readonly tolerance: Tolerance
  readonly charts: readonly ComparedChart[]
  readonly asked: CompareResult['asked']
  readonly notes: readonly string[]
}

/** Of the cells of a chart that differ, so many are in the result. */
const MOST_CELLS = 50

/** The result of a comparison. */
export function compareJson(subject: CompareSubject): CompareResult {
  const { tolerance } = subject
  const charts = subject.charts.map((chart) => chartJson(chart, tolerance))
  charts.sort((a, b) => rank(b) - rank(a) || b.unexplained.amount - a.unexplained.amount)
  const beyond = charts.filter(({ equal }) => !equal)
  const [most] = charts
  return {
    version: 1,
    command: 'compare',
    datasets: subject.datasets,
    with: subject.with,
    first: subject.span.first,
    last: subject.span.last,
    zones: subject.zones,
    tolerance: { events: tolerance.events, people: tolerance.people },
    equal: beyond.length === 0,
    unexplained:
      most === undefined || most.unexplained.amount === 0
        ? null
        : {
            chart: most.name,
            amount: most.unexplained.amount,
            share: most.unexplained.share,
            charts: beyond.length,
          },
    charts,
    causes: causesOf(charts),
    asked: subject.asked,
    reports: null,
    notes: subject.notes,
  }
}

/** The result of a list of a vendor's saved reports. */
export function reportsJson(
  datasets: readonly string[],
  vendor: string,
  reports: NonNullable<CompareResult['reports']>,
): CompareResult {
  return {
    version: 1,
    command: 'compare',
    datasets,
    with: vendor,
    first: null,
    last: null,
    zones: { vendor: null, posthog: null },
    tolerance: { events: 0, people: 0 },
    equal: true,
    unexplained: null,
    charts: [],
    causes: [],
    asked: [],
    reports,
    notes: [],
  }
}

/** Those that are beyond their tolerance come first, and among them those that count events: people follow from events. */
function rank({ equal, unexplained, kind }: ChartJson): number {
  if (unexplained.amount === 0) return 0
  return (equal ? 1 : 3) + (kind === 'count' ? 1 : 0)
}

function chartJson(
  { chart, cells, unanswered, estimated, notes }: ComparedChart,
  tolerance: Tolerance,
): ChartJson {
  const differing = cells.filter(differs)
  differing.sort((a, b) => b.unexplained - a.unexplained)
  const amount = sixDigits(sum(cells, ({ unexplained }) => unexplained))
  const whole = Math.max(
    ...(['vendor', 'dataset', 'posthog'] as const).map((side) => totalOf(cells, side) ?? 0),
  )
  const share = amount === 0 ? 0 : whole === 0 ? 1 : Math.min(1, amount / whole)
  const kind = chartKind(chart)
  const shown = cells.filter(({ at }) => isInNumber(chart, at))
  const most = differing[0]
  return {
    name: chart.name,
    kind,
    report: chart.report,
    numbers: {
      vendor: totalOf(shown, 'vendor'),
      dataset: totalOf(shown, 'dataset'),
      posthog: totalOf(shown, 'posthog'),
    },
    unanswered,
    causes: partsOf(differing),
    unexplained: {
      amount,
      share,
      cells: differing.filter(({ unexplained }) => unexplained > 0).length,
      example: most && most.unexplained > 0 ? exampleOf(most, most.unexplained) : null,
    },
    equal: amount === 0 || share <= (isOfPeople(kind) ? tolerance.people : tolerance.events),
    estimated,
    notes,
    cells: differing.slice(0, MOST_CELLS).map(({ parts: _, ...cell }) => cell),
    other_cells: Math.max(0, differing.length - MOST_CELLS),
  }
}

function differs({ vendor, dataset, posthog, parts, unexplained }: ExplainedCell): boolean {
  const known = [vendor, dataset, posthog].filter((value) => value !== null)
  return unexplained !== 0 || parts.length > 0 || new Set(known).size > 1
}

/** `count`, `unique`, `sum`, `average`, `funnel`, `retention` or `people`. */
export function chartKind({ query }: Chart): string {
  return query.kind === 'series' ? query.measure : query.kind
}

function isOfPeople(kind: string): boolean {
  return !['count', 'sum', 'average'].includes(kind)
}

/** Which cells make the number of a chart: of a funnel its last step, of retention who came back. */
function isInNumber({ query }: Chart, at: string): boolean {
  if (query.kind === 'funnel') return at === String(query.steps.length)
  return query.kind !== 'retention' || !at.endsWith('+0')
}

/** All cells of a side added up; null if it has no answer. */
function totalOf(cells: readonly ExplainedCell[], side: 'vendor' | 'dataset' | 'posthog'): number | null {
  const known = cells.flatMap((cell) => cell[side] ?? [])
  return known.length === 0 ? null : sixDigits(known.reduce((total, value) => total + value, 0))
}

function partsOf(cells: readonly ExplainedCell[]): CauseJson[] {
  const causes = new Map<keyof typeof CAUSES, { amount: number; net: number; cells: number; example: At }>()
  for (const cell of cells)
    for (const [cause, amount] of cell.parts) {
      const before = causes.get(cause) ?? { amount: 0, net: 0, cells: 0, example: exampleOf(cell, amount) }
      const isMore = Math.abs(amount) > Math.abs(before.example.amount)
      causes.set(cause, {
        amount: before.amount + Math.abs(amount),
        net: before.net + amount,
        cells: before.cells + 1,
        example: isMore ? exampleOf(cell, amount) : before.example,
      })
    }
  const parts = [...causes].map(([cause, { amount, net, ...rest }]) => ({
    cause,
    text: CAUSES[cause].text,
    amount: sixDigits(amount),
    net: sixDigits(net),
    ...rest,
  }))
  return parts.sort((a, b) => b.amount - a.amount)
}

/** The causes of all charts. Charts overlap, so an amount is that of the chart in which the cause weighs most. */
function causesOf(charts: readonly ChartJson[]): CompareResult['causes'] {
  const all = new Map<string, CompareResult['causes'][number]>()
  for (const { name, causes } of charts)
    for (const part of causes) {
      const before = all.get(part.cause)
      const most = before && before.amount >= part.amount ? before : { ...part, chart: name, charts: 0 }
      all.set(part.cause, { ...most, charts: (before?.charts ?? 0) + 1 })
    }
  return [...all.values()].sort((a, b) => b.amount - a.amount)
}

function exampleOf({ at, by }: ExplainedCell, amount: number): At {
  return { at, by, amount: sixDigits(amount) }
}
