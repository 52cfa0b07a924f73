import type { Figure } from './measure.ts'

/** One line of the table: a ratio and its target. */
export interface Row {
  readonly measured: string
  readonly against: string
  readonly ratio: Figure
  readonly target: { readonly atLeast?: number; readonly atMost?: number }
  /** The figures that the ratio is made of, in words. */
  readonly detail: string
}

export function isMet({ ratio, target }: Row): boolean {
  return ratio.median >= (target.atLeast ?? 0) && ratio.median <= (target.atMost ?? Number.POSITIVE_INFINITY)
}

/** The rows as a Markdown table; a target that is missed says so. */
export function markdown(rows: readonly Row[]): string {
  const lines = rows.map((row) => {
    const { atLeast, atMost } = row.target
    const bounds = [atLeast && `at least ${atLeast} x`, atMost && `at most ${atMost} x`]
    const target = bounds.filter((bound) => bound).join(', ')
    const spread = `${round(row.ratio.min)}-${round(row.ratio.max)}`
    const verdict = isMet(row) ? 'met' : '**missed**'
    return `| ${row.measured} | ${row.against} | ${round(row.ratio.median)} x (${spread}) | ${target} | ${verdict} | ${row.detail} |`
  })
  return [
    '| measured | against | ratio: median (min-max) | target | | figures |',
    '|---|---|---|---|---|---|',
    ...lines,
    '',
  ].join('\n')
}

function round(value: number): string {
  return value.toFixed(2)
}
