import { PosthaulError } from '../../errors.ts'
import type { Resources } from './job-request.ts'

/** The memory that Fargate has for so many cpus, in GiB: least, most, step. */
const SIZES: Readonly<Record<number, readonly [least: number, most: number, step: number]>> = {
  1: [2, 8, 1],
  2: [4, 16, 1],
  4: [8, 30, 1],
  8: [16, 60, 4],
  16: [32, 120, 8],
}

/** Of the disk: a machine has 20 GiB anyway. */
const LEAST_DISK_GIB = 21
const MOST_DISK_GIB = 200

/** The smallest machine of Fargate that has these resources. Code `usage` if there is none. */
export function fargateMachine({ cpus, memoryMiB, diskGiB }: Resources): Resources {
  const size = SIZES[cpus]
  if (!size) throw none(`${cpus} CPUs`, `give --cpus ${Object.keys(SIZES).join(', ')}`)
  const [least, most, step] = size
  const memoryGiB = least + step * Math.ceil(Math.max(0, memoryMiB / 1024 - least) / step)
  if (memoryGiB > most) throw none(`${memoryMiB} MiB of memory for ${cpus} CPUs`, `give more --cpus`)
  if (diskGiB > MOST_DISK_GIB) {
    const more = 'plan more tasks, so that each has less input, or take another engine'
    throw none(`${diskGiB} GiB of disk: it has ${MOST_DISK_GIB}`, `${more}; --disk says how much is needed`)
  }
  return { cpus, memoryMiB: memoryGiB * 1024, diskGiB: Math.max(LEAST_DISK_GIB, diskGiB) }
}

function none(what: string, hint: string): PosthaulError {
  return new PosthaulError(`AWS Fargate has no machine with ${what}`, { code: 'usage', hint })
}
