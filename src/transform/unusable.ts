import { PosthaulError } from '../errors.ts'
import type { Sample } from './sample.ts'

/** The error of an input of which too many records can't be used: most likely the preset is the wrong one. */
export function unusable({ read, rejected, reasons }: Sample, maxRatio: number): PosthaulError | undefined {
  if (read === 0 || rejected / read <= maxRatio) return undefined
  const commonest = [...reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, 3)
  const lines = commonest.map(([reason, { count, message }]) => `${count} x ${reason}: ${message}`)
  const percent = ((100 * rejected) / read).toFixed(rejected === read ? 0 : 1)
  return new PosthaulError(
    `${rejected} of the first ${read} records (${percent}%) can't become events; nothing was written`,
    {
      code: 'input',
      lines,
      hint: `is the preset the right one, and do the mapping file's columns fit? --dry-run shows the records; to leave them behind, raise --max-reject-ratio (now ${maxRatio})`,
    },
  )
}
