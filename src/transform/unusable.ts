import { PosthaulError } from '../errors.ts'
import type { Job } from './job.ts'
import type { Sample } from './sample.ts'

/** The error of an input of which too many records can't be used: most likely the preset is the wrong one. */
export function unusable(
  { read, rejected, reasons }: Sample,
  { inputs, columns }: Pick<Job, 'inputs' | 'columns'>,
  maxRatio: number,
): PosthaulError | undefined {
  if (read === 0 || rejected / read <= maxRatio) return undefined
  // The right preset refused them once already: those that are not mended are told again.
  if (inputs.every((input) => input.rejects)) return undefined
  const commonest = [...reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, 3)
  const lines = commonest.map(([reason, { count, message }]) => `${count} x ${reason}: ${message}`)
  const percent = ((100 * rejected) / read).toFixed(rejected === read ? 0 : 1)
  const isTable = inputs.some(({ format }) => format === 'csv' || format === 'tsv')
  const cause = !isTable
    ? 'Is the preset the right one, and the mapping file, if any?'
    : Object.keys(columns.columns).length === 0
      ? 'A table wants a mapping file (--map) whose columns: say where in the record each column goes.'
      : "Is the preset the right one, and do the mapping file's columns fit?"
  return new PosthaulError(
    `${rejected} of the first ${read} records (${percent}%) can't become events; nothing was written`,
    {
      code: 'input',
      lines,
      hint: `${cause} --dry-run shows the records. To leave them behind, raise --max-reject-ratio (now ${maxRatio})`,
    },
  )
}
