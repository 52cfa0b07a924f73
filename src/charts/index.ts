/** What charts/ opens to others. */
export type {
  Chart,
  ChartEvents,
  ChartFilter,
  ChartInterval,
  ChartQuery,
  ChartSpan,
  FilterOperator,
  FunnelChart,
  Measure,
  RetentionChart,
  SeriesChart,
} from './chart.ts'
export { MOST_VALUES } from './chart.ts'
export { type ChartAnswer, type ChartCell, chartAnswerSchema, type NoAnswer } from './chart-answer.ts'
export type { ChartCall, ChartSide, SavedReport, VendorNames } from './chart-side.ts'
export { periodOf, periodsOf, spanDays } from './periods.ts'
export { type ChartRows, rowCells, sixDigits } from './row-cells.ts'
