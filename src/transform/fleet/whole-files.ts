import pLimit from 'p-limit'
import type { EventPart } from '../../store/manifest.ts'
import type { Store } from '../../store/store.ts'
import type { SealedDay } from '../seal/day.ts'
import { readDone, type WholeFile } from './done-file.ts'
import type { GenerateDone } from './generate-task.ts'
import type { MapDone } from './map-task.ts'
import { dayDoneName } from './seal-task.ts'

const AT_ONCE = 16

/** The files in the fleet's store that a task's result names. */
export function filesOf(result: MapDone | GenerateDone): WholeFile[] {
  if ('counts' in result) {
    const { runs, seen, rejects, counts } = result
    return [...runs, ...(seen ? [seen] : []), ...(rejects ? [rejects] : []), counts]
  }
  return [...result.runs, ...(result.linksFile ? [result.linksFile] : [])]
}

/** Of the days, those without a result, or whose parts are not in the dataset. */
export async function missingParts(
  dataset: Store,
  store: Store,
  plan: string,
  days: readonly number[],
): Promise<number[]> {
  if (days.length === 0) return []
  const sizes = new Map((await dataset.list()).map(({ name, bytes }) => [name, bytes]))
  const isThere = ({ file, bytes }: EventPart) => sizes.get(file) === bytes
  const limit = pLimit(AT_ONCE)
  const look = (day: number) =>
    limit(async () => {
      const sealed = await readDone<SealedDay>(store, dayDoneName(day), plan)
      return sealed?.parts.every(isThere) ? [] : [day]
    })
  return (await Promise.all(days.map(look))).flat()
}
