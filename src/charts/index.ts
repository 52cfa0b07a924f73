/** What charts/ opens to others. */
export type { ChartSide } from './chart-side.ts'
