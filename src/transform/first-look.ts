import { PosthaulError } from '../errors.ts'
import { type InputFile, type RecordSink, readRecords } from '../inputs/index.ts'
import { NO_COLUMNS } from '../mapping/index.ts'
import { type Recognised, recognise, recogniseFolded } from '../presets/recognise.ts'
import { members } from '../record/index.ts'

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
export interface FirstLook {
  readonly columns: readonly Column[]
  /** Records that were looked at. */
  readonly records: number
  readonly recognised: Recognised | undefined
  /** The preset that they would fit if it ignored case; undefined where one fits as it is. */
  readonly otherCase: Recognised | undefined
  /** True for CSV, TSV, Parquet and Avro. */
  readonly isTable: boolean
}

/** Reads the first records. They are looked at as they are: no preset is known yet that could map them. */
export async function firstLook(inputs: readonly InputFile[]): Promise<FirstLook> {
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
    records: records.length,
    recognised,
    otherCase: recognised ? undefined : await recogniseFolded(records),
    isTable: isText || inputs.some(({ format }) => format === 'parquet' || format === 'avro'),
  }
}

/** The columns with an example each, as lines of an error. */
export function lookLines({ columns, isTable, records }: FirstLook): string[] {
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
  try {
    const record: unknown = JSON.parse(text)
    return typeof record === 'object' && record !== null && !Array.isArray(record) ? [record] : []
  } catch {
    return []
  }
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
