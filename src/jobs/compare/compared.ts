import type { Chart } from '../../charts/index.ts'
import type { ExplainedCell } from '../../compare/index.ts'

/** A chart, compared. */
export interface ComparedChart {
  readonly chart: Chart
  readonly cells: readonly ExplainedCell[]
  readonly unanswered: readonly { readonly side: string; readonly why: string }[]
  readonly estimated: boolean
  readonly notes: readonly string[]
}
