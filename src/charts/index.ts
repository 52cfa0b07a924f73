/** What charts/ opens to others. */
export type {
  Chart,
  ChartEvents,
  ChartFilter,
  ChartInterval,
  ChartQuery,
  ChartSpan,
  FilterOperator,
  RetentionChart,
  SeriesChart,
} from './chart.ts'
export type { ChartAnswer, ChartCell, NoAnswer } from './chart-answer.ts'
export type { ChartCall, ChartSide } from './chart-side.ts'
export { periodsOf, spanDays } from './periods.ts'
