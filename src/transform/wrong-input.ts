import { PosthaulError } from '../errors.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { emptyInput, readRecords } from '../inputs/read.ts'
import { type RecordSink, withNulls } from '../inputs/record-sink.ts'
import { NO_COLUMNS } from '../mapping/columns.ts'
import { type Recognised, recognise } from '../presets/recognise.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { isJsonObject, parsedOrNone } from '../text/json.ts'
import { posthaulLine } from '../text/shell-word.ts'
import type { Job } from './job.ts'
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
  const { recognised } = look
  return new PosthaulError(
    recognised
      ? `no preset was named; the records fit the preset ${recognised.preset}`
      : 'no preset was named, and no preset knows these records',
    {
      code: 'input',
      lines: recognised ? [why(recognised, look.records)] : [],
      hint: recognised
        ? `if that is what they are, add --preset ${recognised.preset}; ${initCommand(asked)} writes a mapping file that says what differs`
        : `write a mapping file from the data: ${initCommand(asked)}`,
      options: recognised ? { '--preset': recognised.preset } : { '--map': SAVED, '--dry-run': '' },
      ...(!recognised && { once: 'it is written' }),
    },
  )
}

/** The error of an input of which too many records can't be used: most likely the preset is the wrong one. */
export async function unusable(
  { read, rejected, reasons, spread }: Sample,
  { inputs, preset }: Pick<Job, 'inputs' | 'preset'>,
  maxRatio: number,
): Promise<PosthaulError | undefined> {
  if (read === 0 || rejected / read <= maxRatio) return undefined
  // Records of a rejects file were refused before: that many are refused again says nothing of the preset.
  if (inputs.every((input) => input.rejects)) return undefined
  const commonest = [...reasons].sort(([, a], [, b]) => b.count - a.count).slice(0, 3)
  const lines = commonest.map(([reason, { count, message }]) => `${count} x ${reason}: ${message}`)
  const percent = ((100 * rejected) / read).toFixed(rejected === read ? 0 : 1)
  const look = await firstLook(inputs)
  const isOtherText = /^bad_(?:utf8|encoding)$/.test(commonest[0]?.[0] ?? '')
  const broken = commonest[0]?.[0] === 'bad_json' ? reasons.get('bad_json')?.record : undefined
  const isPython = withNulls(Buffer.from(broken ?? ''), new ByteWriter()) > 0
  const isReading = isOtherText || isPython
  const other = look.recognised?.preset === preset ? undefined : look.recognised
  const advice = other
    ? `The records fit the preset ${other.preset}, not ${preset}: name it with --preset, or as preset: in the mapping file.`
    : `Is the preset the right one, and does the mapping file fit, if there is one? posthaul init <the same files> --out ${SAVED} writes one from the data.`
  return new PosthaulError(
    `${rejected} of ${spread ? `${read} sampled` : `the first ${read}`} records (${percent}%) can't become events; nothing was written`,
    {
      code: 'input',
      lines: [...lines, ...(other && !isReading ? [why(other, look.records)] : [])],
      hint: isOtherText
        ? `The text is in another encoding than it is read in: posthaul init <the same files> --out ${SAVED} finds out which, and writes a mapping file that says so.`
        : isPython
          ? `The JSON is Python's, which has NaN and Infinity: say "json: python" in the mapping file, and they are read as null.`
          : `${advice} --dry-run shows the records. To leave them out, raise --max-reject-ratio (now ${maxRatio})`,
      ...(isReading && { options: { '--map': SAVED }, once: 'it says so' }),
      ...(other && !isReading && { options: { '--preset': other.preset } }),
    },
  )
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

/** Records that are looked at, and how long a record may be to be looked at. */
const RECORDS = 1000
const MAX_RECORD_BYTES = 256 * 1024

/** Reads the first records. They are looked at as they are: no preset is known yet that could map them. */
export async function firstLook(inputs: readonly InputFile[]) {
  const texts: string[] = []
  const enough = new AbortController()
  const sink: RecordSink = {
    line(bytes, start, end) {
      if (end - start <= MAX_RECORD_BYTES && texts.length < RECORDS)
        texts.push(bytes.toString('utf8', start, end))
      if (texts.length === RECORDS) enough.abort()
    },
    tooLong() {},
    reject() {},
    unusable() {},
  }
  for (const input of inputs) {
    if (enough.signal.aborted) break
    try {
      await readRecords(input, sink, { columns: NO_COLUMNS, stop: enough.signal })
    } catch (error) {
      if (!(error instanceof PosthaulError) || error.code !== 'config') throw error
      // A column without a name, such as the index that pandas writes first, must be left out.
      await readRecords(input, sink, {
        columns: { columns: { '': null }, rest: 'keep' },
        stop: enough.signal,
      })
    }
  }
  const records = texts.flatMap((text) => parsed(text))
  return { records: records.length, recognised: await recognise(records) }
}

/** A record as an object; none for text that is no object. */
function parsed(text: string): object[] {
  const record = parsedOrNone(text)
  return isJsonObject(record) ? [record] : []
}
