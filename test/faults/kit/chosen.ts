import { kills } from '../../helpers/kills.ts'
import { shuffled } from '../../helpers/random.ts'

/** All rows of a table in the project `many`, and a few of them, by chance, in the project `faults`. */
export function chosen<T>(rows: readonly T[], few: number, random: () => number): T[] {
  return shuffled(rows, random).slice(0, kills({ few, many: rows.length }))
}
