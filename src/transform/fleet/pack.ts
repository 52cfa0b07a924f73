import type { InputFile } from '../../inputs/index.ts'
import { MIB, sum } from '../../text/index.ts'

/**
 * Shares units out to tasks, in their order and evenly by bytes: a task has at most the mean and the largest unit. Returns of
 * each task the number of its first unit, and at the end the number of all units. A task can be left without any.
 */
export function packUnits(units: readonly { readonly bytes: number }[], tasks: number): number[] {
  // An empty file has to be read too.
  const weights = units.map(({ bytes }) => bytes + 1)
  const total = sum(weights)
  const first: number[] = []
  let before = 0
  for (const [unit, weight] of weights.entries()) {
    // The task in whose share of the bytes the middle of the unit lies.
    const task = Math.min(tasks - 1, Math.floor(((before + weight / 2) / total) * tasks))
    while (first.length <= task) first.push(unit)
    before += weight
  }
  while (first.length <= tasks) first.push(units.length)
  return first
}

/** About how many bytes of records a stored byte is: files that are packed hold more than they seem to. */
export function unpackedBytes(
  { format, compression, member }: Pick<InputFile, 'format' | 'compression' | 'member'>,
  stored: number,
): number {
  if (compression !== 'none' || member !== undefined) return 8 * stored
  return format === 'parquet' || format === 'avro' ? 4 * stored : stored
}

/** So many generate tasks have work: each reads a piece of all map tasks, and ten thousand pieces each would be small. */
const MOST_BUCKETS = 256

/** Into how many ranges of their hashes observations fall: a range for each generate task that has work. */
export function bucketsOf(tasks: number): number {
  return Math.min(tasks, MOST_BUCKETS)
}

/** The seal task that a day, counted from 1970-01-01, belongs to: neighbours, which are of a size, go to different tasks. */
export function sealTaskOf(day: number, tasks: number): number {
  return ((day % tasks) + tasks) % tasks
}

/** The most objects of runs that a map task writes, whatever the number of tasks and days. */
const MOST_GROUPS = 64

/** The object, of those of a task, that has the days of a seal task. */
export function groupOf(sealTask: number): number {
  return sealTask % MOST_GROUPS
}

/** How many objects of runs a task writes at most. */
export function packGroups(tasks: number): number {
  return Math.min(tasks, MOST_GROUPS)
}

/** Bytes of input, as it is stored, for each task if nobody says how many there are, and the most tasks then. */
const USUAL_BYTES = 8 * 1024 * MIB
const USUAL_MOST = 1000

/** How many tasks a stage has if nobody says. */
export function usualTasks(inputs: readonly Pick<InputFile, 'size'>[]): number {
  const bytes = sum(inputs, ({ size }) => size)
  return Math.min(USUAL_MOST, Math.max(1, Math.ceil(bytes / USUAL_BYTES)))
}
