import { PosthaulError } from '../errors.ts'
import { findEncoding } from '../inputs/find-encoding.ts'
import type { InputFile } from '../inputs/input-file.ts'
import { emptyInput, readRecords } from '../inputs/read.ts'
import { type RecordSink, withNulls } from '../inputs/record-sink.ts'
import { NO_COLUMNS } from '../mapping/columns.ts'
import { type Recognised, recognise, recogniseFolded } from '../presets/recognise.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { members } from '../record/json-values.ts'
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

/** Records that are looked at, and how long a record may be to be looked at. */
const RECORDS = 1000
const MAX_RECORD_BYTES = 256 * 1024
const MOST_COLUMNS = 60
const EXAMPLE_CHARACTERS = 40
const MOST_DEPTH = 3

/** A column of a table, or a member of records, as the first of them show it. */
interface Column {
  /** Dotted path in the record; of a table, the column's name. */
  readonly name: string
  /** Values as JSON, those that say nothing left out. */
  readonly values: readonly string[]
}

/** What the first records of an input look like, for a user who has not said what they are. */
type FirstLook = Readonly<Awaited<ReturnType<typeof firstLook>>>

/** Reads the first records. They are looked at as they are: no preset is known yet that could map them. */
export async function firstLook(inputs: readonly InputFile[]) {
  const texts: string[] = []
  const enough = new AbortController()
  const take = (text: string | null) => {
    if (text !== null && texts.length < RECORDS && text.length <= MAX_RECORD_BYTES) texts.push(text)
    if (texts.length === RECORDS) enough.abort()
  }
  const sink: RecordSink = {
    line: (bytes, start, end) =>
      take(end - start > MAX_RECORD_BYTES ? null : bytes.toString('utf8', start, end)),
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
  const isText = inputs.some(({ format }) => format === 'csv' || format === 'tsv')
  const recognised = await recognise(records)
  return {
    columns: columnsOf(texts.filter((text) => parsed(text).length > 0)),
    /** Records that were looked at. */
    records: records.length,
    recognised,
    /** The preset that they would fit if it ignored case; undefined where one fits as it is. */
    otherCase: recognised ? undefined : await recogniseFolded(records),
    /** True for CSV, TSV, Parquet and Avro. */
    isTable: isText || inputs.some(({ format }) => format === 'parquet' || format === 'avro'),
  }
}

/** The columns with an example each, as lines of an error. */
function lookLines({ columns, isTable, records }: FirstLook): string[] {
  if (records === 0) return []
  const shown = columns.slice(0, MOST_COLUMNS)
  const width = Math.min(30, Math.max(...shown.map(({ name }) => name.length)))
  const more = columns.length - shown.length
  return [
    `${isTable ? 'columns' : 'members'}, with an example each:`,
    ...shown.map(({ name, values }) => `  ${name.padEnd(width)}  ${example(values[0])}`),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ]
}

function example(json: string | undefined): string {
  const text = json ?? '(empty)'
  return text.length <= EXAMPLE_CHARACTERS ? text : `${text.slice(0, EXAMPLE_CHARACTERS)}…`
}

/** A record as an object; none for text that is no object. */
function parsed(text: string): object[] {
  const record = parsedOrNone(text)
  return isJsonObject(record) ? [record] : []
}

/** The members of records, those of objects by their paths, in the order of their first record. */
function columnsOf(records: readonly string[]): Column[] {
  const columns = new Map<string, string[]>()
  const add = (json: string, prefix: string, isPath: boolean, depth: number) => {
    for (const [key, value] of members(json)) {
      const name = prefix + key
      const sayable = isPath && key !== '' && !key.includes('.')
      if (value.startsWith('{') && sayable && depth < MOST_DEPTH && value !== '{}') {
        add(value, `${name}.`, sayable, depth + 1)
        continue
      }
      const values = columns.get(name) ?? []
      columns.set(name, values)
      if (value !== 'null' && value !== '""') values.push(value)
    }
  }
  for (const record of records) add(record, '', true, 1)
  return [...columns].map(([name, values]) => ({ name, values }))
}

/** What is said of records that a preset would know if it ignored case: why, and what to do. */
export function otherCaseWords({ preset, title, members }: Recognised): {
  readonly why: string
  readonly remedy: string
} {
  const [name = ''] = members.filter((one) => !one.includes('.'))
  const shown = members.join(', ')
  return {
    why: `These look like records of ${title} whose names are in another case, such as ${name.toUpperCase()}: the preset ${preset} reads ${shown} as they are spelt here.`,
    remedy: `Export them under the vendor's own names (in SQL: SELECT ${name.toUpperCase()} AS "${name}", …), or, of CSV, say it in a mapping file: columns: { ${name.toUpperCase()}: ${name}, … } with preset: ${preset}.`,
  }
}
