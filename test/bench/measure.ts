/** A figure of several runs. */
export interface Figure {
  readonly median: number
  readonly min: number
  readonly max: number
}

export function figure(values: readonly number[]): Figure {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const median = sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
  return { median, min: sorted[0]!, max: sorted.at(-1)! }
}

/**
 * Runs the contenders in turn, A B A B …, `rounds` times. If the machine gets slower or faster meanwhile, it does so for all of
 * them. Returns each contender's samples by its name.
 */
export async function interleaved<T, Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<T>>>,
  rounds: number,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contenders) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  for (let round = 0; round < rounds; round++) {
    for (const name of names) samples[name].push(await contenders[name]())
  }
  return samples
}

/** The ratio of two contenders' values, pair by pair. */
export function ratios(over: readonly number[], under: readonly number[]): Figure {
  return figure(over.map((value, index) => value / under[index]!))
}

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
    const spread = `${round(row.ratio.min)}-${round(row.ratio.max)}`
    const target = atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`
    const verdict = isMet(row) ? 'met' : '**missed**'
    return `| ${row.measured} | ${row.against} | ${round(row.ratio.median)} (${spread}) | ${target} | ${verdict} | ${row.detail} |`
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
