import { PosthaulError } from '../errors.ts'
import { rowObject } from '../mapping/named-rows.ts'
import { elements, isJson } from '../record/json-values.ts'
import type { LineSink } from '../record/lines.ts'
import { recordOf } from '../record/reject.ts'
import { textIn } from '../record/text.ts'
import type { RecordSink } from './record-sink.ts'

/** Lines of which each is a row: `["a", 1]`, as ClickHouse's JSONCompactEachRow has them. The text is latin1. */
export const ROW_LINES = /^\s*\[[ \t]*(?:"|-?\d|null\b|true\b|false\b)[^\n]*\][ \t\r]*\n\s*(?:\[|$)/
/** Types in the second row of JSONCompactEachRowWithNamesAndTypes. */
const TYPE =
  /^(?:Nullable|LowCardinality|Array|Map|Tuple|Enum\d*|FixedString|Decimal\d*|DateTime(?:64)?|Nested|JSON|Object|Variant)\b.*$|^(?:String|U?Int\d+|Float\d+|Bool|Date(?:32)?|UUID|IPv[46])$/s
/** Values that no column is called by: a time, a UUID. */
const VALUE = /^(?:\d{4}-\d\d-\d\d.*|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/is

/**
 * Turns lines of rows into records. `named`: the names of their values; without them the first row has to name them. Code
 * `input` where it doesn't.
 */
export function rowLinesSink(sink: RecordSink, named: readonly string[] | undefined, path: string): LineSink {
  let names = named
  let isSecond = false
  return {
    line(bytes, start, end, offset, line) {
      const row = bytes.toString('utf8', start, end)
      if (!row.trimStart().startsWith('[') || !isJson(row)) {
        sink.line(bytes, start, end, offset, line)
        return
      }
      const texts = elements(row).map((json) => (json.startsWith('"') ? textIn(json) : undefined))
      if (names === undefined) {
        names = namesIn(texts, path)
        isSecond = true
        return
      }
      const isTypes =
        isSecond && texts.length === names.length && texts.every((text) => TYPE.test(text ?? ''))
      isSecond = false
      if (isTypes) return
      const text = rowObject(names, row)
      if (text === undefined) {
        const message = `the row has ${texts.length} values, and ${names.length} names`
        sink.reject({ line, offset, reason: 'csv_field_count', message, ...recordOf(bytes, start, end) })
        return
      }
      const record = Buffer.from(text)
      sink.line(record, 0, record.length, offset, line)
    },
    tooLong: (offset, length, line) => sink.tooLong(offset, length, line),
  }
}

function namesIn(texts: ReadonlyArray<string | undefined>, path: string): string[] {
  const names = texts.filter((text) => text !== undefined && text !== '' && !VALUE.test(text))
  if (names.length === texts.length && new Set(names).size === names.length) return names as string[]
  throw new PosthaulError(`${path} has rows without names: its first line is a row like the others`, {
    code: 'input',
    hint: 'name their values in the mapping file: columns_header: [event, distinct_id, timestamp]; or write JSONEachRow',
  })
}
