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
 * Runs the contenders in turn, A B A B …, `rounds` times after one round that does not count. If the machine gets
 * slower or faster meanwhile, it does so for all of them. Returns each contender's samples by its name.
 * One round alone says nothing about speed, so none is run before it.
 */
export async function interleaved<T, Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<T>>>,
  rounds: number,
  warmUp = rounds > 1,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contenders) as Name[]
  const samples = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    for (const name of names) {
      const sample = await contenders[name]()
      if (round >= 0) samples[name].push(sample)
    }
  }
  return samples
}

/** The ratio of two contenders' values, pair by pair. */
export function ratios(over: readonly number[], under: readonly number[]): Figure {
  return figure(over.map((value, index) => value / under[index]!))
}
