import { PosthaulError } from '../errors.ts'
import { emptyInput } from '../inputs/empty-input.ts'
import type { InputFile } from '../inputs/input-file.ts'
import type { Recognised } from '../mapping/recognise.ts'
import { type FirstLook, firstLook, lookLines } from './first-look.ts'
import type { Job } from './job.ts'
import type { Sample } from './sample.ts'

/** The name under which the user is told to save a mapping file. */
const SAVED = 'mapping.yaml'

/** The error of a command line that says nowhere what the records are: which preset they fit, or how to say it. */
export async function presetMissing(inputs: readonly InputFile[], asked: string): Promise<PosthaulError> {
  const look = await firstLook(inputs)
  if (look.records === 0) return emptyInput(asked)
  const { recognised, isTable } = look
  const found = recognised ? [why(recognised, look.records)] : []
  const shown = isTable || !recognised ? lookLines(look) : []
  return new PosthaulError(
    recognised
      ? `no preset was named; the records fit the preset ${recognised.preset}`
      : 'no preset was named, and no preset knows these records',
    {
      code: 'input',
      lines: [...found, ...shown],
      hint: recognised
        ? `if that is what they are, add --preset ${recognised.preset}; ${initCommand(asked)} writes a mapping file that says what differs`
        : `write a mapping file from the data: ${initCommand(asked)}`,
      options: recognised ? { '--preset': recognised.preset } : { '--map': SAVED, '--dry-run': '' },
      ...(!recognised && { once: 'it is written' }),
    },
  )
}

type JobLooked = Pick<Job, 'inputs' | 'columns' | 'mapping' | 'preset' | 'forget'>

/** The error of an input of which too many records can't be used: most likely the preset is the wrong one. */
export async function unusable(
  { read, rejected, reasons, spread }: Sample,
  { inputs, columns, mapping, preset, forget }: JobLooked,
  maxRatio: number,
): Promise<PosthaulError | undefined> {
  if (read === 0 || rejected / read <= maxRatio) return undefined
  // Records of a rejects file were refused before: that many are refused again says nothing of the preset.
  if (inputs.every((input) => input.rejects)) return undefined
  const commonest = [...reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, 3)
  const lines = commonest.map(([reason, { count, message }]) => `${count} x ${reason}: ${message}`)
  const percent = ((100 * rejected) / read).toFixed(rejected === read ? 0 : 1)
  const look = await firstLook(inputs)
  // Examples of cells are not shown where somebody is to be forgotten.
  const isMapped =
    forget !== undefined || Object.keys(columns.columns).length + Object.keys(mapping.fields).length > 0
  const fits = look.recognised?.preset !== preset ? look.recognised?.preset : undefined
  return new PosthaulError(
    `${rejected} of ${spread ? `${read} sampled` : `the first ${read}`} records (${percent}%) can't become events; nothing was written`,
    {
      code: 'input',
      lines: [...lines, ...adviceLines(look, preset, isMapped)],
      hint: `${adviceOf(look, preset, isMapped)} --dry-run shows the records. To leave them out, raise --max-reject-ratio (now ${maxRatio})`,
      ...(fits !== undefined && { options: { '--preset': fits } }),
    },
  )
}

function adviceLines(look: FirstLook, preset: string, isMapped: boolean): string[] {
  const { recognised, isTable, records } = look
  const found = recognised && recognised.preset !== preset ? [why(recognised, records)] : []
  return [...found, ...((isTable || preset === 'events') && !isMapped ? lookLines(look) : [])]
}

function adviceOf({ recognised, isTable }: FirstLook, preset: string, isMapped: boolean): string {
  if (recognised && recognised.preset !== preset) {
    return `The records fit the preset ${recognised.preset}, not ${preset}: name it with --preset, or as preset: in the mapping file.`
  }
  if ((isTable || preset === 'events') && !isMapped)
    return `Write a mapping file from the data, ${initCommand('<the same files>')}, and add --map ${SAVED}.`
  return isTable
    ? "Is the preset the right one, and do the mapping file's columns fit?"
    : 'Is the preset the right one, and the mapping file, if any?'
}

/** The command that looks at the same inputs and writes a mapping file. */
function initCommand(asked: string): string {
  return `posthaul init ${asked} --out ${SAVED}`
}

/** Why a preset fits: `98 of the first 100 records have event, properties.time and properties.distinct_id`. */
function why({ preset, members, records }: Recognised, of: number): string {
  const names = `${members.slice(0, -1).join(', ')} and ${members.at(-1)}`
  return `${records} of the first ${of} records have ${names}, as ${preset} has them`
}
