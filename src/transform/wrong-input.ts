import { PosthaulError } from '../errors.ts'
import { emptyInput, findEncoding, type InputFile, withNulls } from '../inputs/index.ts'
import type { Recognised } from '../presets/recognise.ts'
import { ByteWriter } from '../record/index.ts'
import { posthaulLine } from '../text/index.ts'
import { type FirstLook, firstLook, lookLines } from './first-look.ts'
import type { Job } from './job.ts'
import { otherCaseWords } from './other-case.ts'
import type { Sample } from './sample.ts'

/** The name under which the user is told to save a mapping file. */
const SAVED = 'mapping.yaml'

/** The error of a command line that says nowhere what the records are: which preset they fit, or how to say it. */
export async function presetMissing(
  inputs: readonly InputFile[],
  asked: readonly string[],
): Promise<PosthaulError> {
  const look = await firstLook(inputs)
  if (look.records === 0) return emptyInput(asked.join(' '))
  const { recognised, otherCase, isTable } = look
  const spelt = otherCase && otherCaseWords(otherCase)
  const found = recognised ? [why(recognised, look.records)] : spelt ? [spelt.why] : []
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
        : (spelt?.remedy ?? `write a mapping file from the data: ${initCommand(asked)}`),
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
  const isOtherText = /^bad_(?:utf8|encoding)$/.test(commonest[0]?.[0] ?? '')
  const broken = commonest[0]?.[0] === 'bad_json' ? reasons.get('bad_json')?.record : undefined
  const isPython = withNulls(Buffer.from(broken ?? ''), new ByteWriter()) > 0
  const isReading = isOtherText || isPython
  const fits = look.recognised?.preset !== preset ? look.recognised?.preset : undefined
  return new PosthaulError(
    `${rejected} of ${spread ? `${read} sampled` : `the first ${read}`} records (${percent}%) can't become events; nothing was written`,
    {
      code: 'input',
      lines: [...lines, ...(isReading ? [] : adviceLines(look, preset, isMapped))],
      hint: isOtherText
        ? await encodingAdvice(inputs)
        : isPython
          ? `The JSON is Python's, which has NaN and Infinity: say "json: python" in the mapping file, and they are read as null.`
          : `${adviceOf(look, preset, isMapped)} --dry-run shows the records. To leave them out, raise --max-reject-ratio (now ${maxRatio})`,
      ...(isReading && { options: { '--map': SAVED }, once: 'it says so' }),
      ...(!isReading && fits !== undefined && { options: { '--preset': fits } }),
    },
  )
}

/** What to do about text that is not in the encoding that it is read in. */
async function encodingAdvice(inputs: readonly InputFile[]): Promise<string> {
  const told = inputs.find(({ encoding, isMarked }) => encoding !== undefined && !isMarked)?.encoding
  const { encoding, other } = await findEncoding(inputs)
  if (encoding === undefined && other !== undefined && told === undefined) {
    return `Some of the text is ${other}, more of it is UTF-8: raise --max-reject-ratio, and run the rejects again with "encoding: ${other}" in a mapping file. They keep their bytes.`
  }
  if (encoding === undefined && other !== undefined) {
    return `Only some of the text is ${other}: transform files that are UTF-8 by themselves, with a mapping file that doesn't have "encoding: ${told}".`
  }
  if (encoding === undefined) {
    return told === undefined
      ? 'The text is in none of the encodings that can be told: convert the files to UTF-8, such as with iconv, or name one with encoding: in a mapping file.'
      : `The text is not ${told}: take "encoding: ${told}" out of the mapping file, or name another one there.`
  }
  return encoding === told
    ? `Only some of the text is ${told}: transform files that are UTF-8 by themselves, with a mapping file that doesn't have "encoding: ${told}".`
    : `The text is ${encoding}: say "encoding: ${encoding}" in the mapping file, posthaul init <the same files> --out ${SAVED} writes one that does.`
}

function adviceLines(look: FirstLook, preset: string, isMapped: boolean): string[] {
  const { recognised, otherCase, isTable, records } = look
  if (otherCase && !isMapped) return [otherCaseWords(otherCase).why]
  const found = recognised && recognised.preset !== preset ? [why(recognised, records)] : []
  return [...found, ...((isTable || preset === 'events') && !isMapped ? lookLines(look) : [])]
}

function adviceOf({ recognised, otherCase, isTable }: FirstLook, preset: string, isMapped: boolean): string {
  if (otherCase && !isMapped) return otherCaseWords(otherCase).remedy
  if (recognised && recognised.preset !== preset) {
    return `The records fit the preset ${recognised.preset}, not ${preset}: name it with --preset, or as preset: in the mapping file.`
  }
  if ((isTable || preset === 'events') && !isMapped)
    return `Write a mapping file from the data, posthaul init <the same files> --out ${SAVED}, and add --map ${SAVED}.`
  return isTable
    ? "Is the preset the right one, and do the mapping file's columns fit?"
    : 'Is the preset the right one, and the mapping file, if any?'
}

/** The command that looks at the same inputs and writes a mapping file. */
function initCommand(asked: readonly string[]): string {
  return posthaulLine(['init', ...asked, '--out', SAVED])
}

/** Why a preset fits: `98 of the first 100 records have event, properties.time and properties.distinct_id`. */
function why({ preset, members, records }: Recognised, of: number): string {
  const names = `${members.slice(0, -1).join(', ')} and ${members.at(-1)}`
  return `${records} of the first ${of} records have ${names}, as ${preset} has them`
}
