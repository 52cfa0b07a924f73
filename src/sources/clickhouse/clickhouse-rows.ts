import { isUtf8 } from 'node:buffer'
import { elements } from '../../record/index.ts'
import type { JsonRow, ReadCall } from '../sql/database.ts'
import { cutShort } from '../vendor-client.ts'
import type { AnswerLines } from './clickhouse-session.ts'
import { type FiniteReader, finiteReader } from './clickhouse-types.ts'

/** Reads rows of JSONCompactEachRowWithNamesAndTypes: the first two lines are the names and the types of the columns. */
export function rowReader(call: ReadCall): (answer: AnswerLines) => readonly JsonRow[] {
  let names: readonly string[] | undefined
  let readers: readonly (FiniteReader | undefined)[] | undefined
  const rowOf = (line: string, isText: boolean): JsonRow => {
    const cells = elements(line)
    if (cells.length !== readers!.length) throw cutShort('ClickHouse gave a row without some of its columns')
    return cells.map((cell, at) => {
      const json = isText ? cell : textOf(cell, () => call.notText(names![at]!))
      return json === 'null' ? null : (readers![at]?.(json) ?? json)
    })
  }
  return ({ lines, isText }) => {
    const rows: JsonRow[] = []
    for (const line of lines) {
      if (readers !== undefined) rows.push(rowOf(line, isText))
      else if (names !== undefined) readers = readersOf(line, names, call)
      else {
        names = JSON.parse(line) as string[]
        call.columns(names)
      }
    }
    return rows
  }
}

function readersOf(types: string, names: readonly string[], call: ReadCall) {
  return (JSON.parse(types) as string[]).map((type, at) => finiteReader(type, names[at]!, call))
}

const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/gs

/**
 * JSON whose characters are bytes, as text. A string of other bytes than UTF-8 becomes `base64:` and its bytes: without the
 * word before it nobody could tell it from the other strings of its column.
 */
function textOf(json: string, notText: () => void): string {
  return json.replaceAll(STRING, (string) => {
    const bytes = Buffer.from(string, 'latin1')
    if (isUtf8(bytes)) return bytes.toString()
    notText()
    // The server escapes control characters, and these two of more than one byte.
    const raw = (JSON.parse(string) as string).replaceAll(/[\u2028\u2029]/g, (character) =>
      Buffer.from(character).toString('latin1'),
    )
    return `"base64:${Buffer.from(raw, 'latin1').toString('base64')}"`
  })
}
