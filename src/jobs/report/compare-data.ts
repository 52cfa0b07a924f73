/** Charts that were compared, the largest unexplained difference first. */
export interface ComparePart {
  /** Who answered, in the order of each line: the vendor, the dataset, PostHog. */
  readonly sides: readonly string[]
  readonly zones: readonly string[]
  readonly first: string
  readonly last: string
  readonly charts: readonly ComparedChartPart[]
  readonly moreCharts: number
  /** Where the page with the lines is; null for this one, or for none. */
  readonly page: string | null
  /** Causes over all charts, a sentence each. */
  readonly causes: readonly string[]
}

export interface ComparedChartPart {
  readonly name: string
  /** All cells of each side added up; null for one without an answer. */
  readonly totals: readonly (number | null)[]
  readonly unexplained: number
  /** 0 to 1. */
  readonly share: number
  readonly isEqual: boolean
  /** What the difference is made of, a sentence each. */
  readonly causes: readonly string[]
  /** Days, or what else the numbers are of. */
  readonly days: readonly string[]
  readonly isOverTime: boolean
  /** A line a side, a number a day; null for one without an answer. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | null)[] }[]
}
