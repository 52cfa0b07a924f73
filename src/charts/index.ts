/** What charts/ opens to others. */
export type { Chart, ChartEvents, ChartFilter, ChartQuery, FilterOperator } from './chart.ts'
export type { ChartSide } from './chart-side.ts'
