import type { Chart } from '../../charts/index.ts'

/** One number of a chart as each side has it, and what the difference is made of. */
export interface ComparedCell {
  readonly at: string
  readonly by: string | null
  /** Null for a side without an answer. */
  readonly vendor: number | null
  readonly dataset: number | null
  readonly posthog: number | null
  /** What each cause adds to the number on its way from the vendor to PostHog; causes that add nothing are left out. */
  readonly parts: readonly (readonly [cause: string, amount: number])[]
  /** How far the number is off without a cause; never negative. */
  readonly unexplained: number
}

/** A chart, compared. */
export interface ComparedChart {
  readonly chart: Chart
  readonly cells: readonly ComparedCell[]
  readonly unanswered: readonly { readonly side: string; readonly why: string }[]
  readonly estimated: boolean
  readonly notes: readonly string[]
}
