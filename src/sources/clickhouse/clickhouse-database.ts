import { isUtf8 } from 'node:buffer'
import { elements } from '../../record/index.ts'
import { plural } from '../../text/index.ts'
import type { Database, JsonRow, Parameter, ReadCall } from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { type SqlSpelling, type Statement, statementOf, tableText, wholeOf } from '../sql/statement.ts'
import { cutShort } from '../vendor-client.ts'
import type { ClickHouseAddress } from './clickhouse-address.ts'
import { type AnswerLines, ClickHouseSession } from './clickhouse-session.ts'
import { columnOf, type FiniteReader, finiteReader } from './clickhouse-types.ts'

/** A ClickHouse that tables are read from. It has no snapshots: rows are counted before and after they are read. */
export function clickhouseDatabase(address: ClickHouseAddress, quietMs: number): Database {
  const session = new ClickHouseSession(address, quietMs)
  const count: Database['count'] = async (slice, signal) => {
    const { text, parameters } = statementOf(slice, 'count(*)', SPELLING)
    const [[rows] = []] = await session.ask(text, valuesOf(parameters), signal)
    return Number(rows)
  }
  return {
    ...{ engine: 'ClickHouse', ends: SPELLING.ends, quick: 'a table that is ordered by' },
    ...{ server: address.server, count },

    async info(signal) {
      const ask = (text: string) => session.ask(text, {}, signal)
      const [[version, database, user, now] = []] = await ask(
        'SELECT version(), currentDatabase(), currentUser(), toUnixTimestamp64Milli(now64(3))',
      )
      // Whoever has to be asked not to write may do so.
      const isFree = (await session.settings(signal)).readonly !== undefined
      const grants = isFree ? (await ask('SHOW GRANTS')).map(([grant]) => String(grant)) : []
      return {
        about: `ClickHouse ${version}, database ${database}, user ${user}`,
        mayWrite: grants.flatMap(writingOf),
        now: Number(now),
      }
    },

    async tables(schema, signal) {
      const within = schema === undefined ? '' : ' AND database = {schema:String}'
      const rows = await session.ask(
        `SELECT database, name, total_rows, total_bytes, engine LIKE '%View' FROM system.tables WHERE database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema') AND NOT is_temporary AND name NOT LIKE '.inner%'${within} ORDER BY database, name`,
        schema === undefined ? {} : { schema },
        signal,
      )
      const number = (value: unknown) => (value === null ? undefined : Number(value))
      return rows.map(([database, name, total, bytes, isView]) => ({
        ...{ schema: String(database), name: String(name) },
        ...{ rows: number(total), bytes: number(bytes), isView: isView === 1 },
      }))
    },

    async columns(relation, signal) {
      const from = relation.kind === 'table' ? tableText(relation, SPELLING) : `(\n${relation.text}\n)`
      const rows = await session.ask(`DESCRIBE TABLE ${from}`, {}, signal)
      return rows.map(([name, type]) => columnOf(String(name), String(type)))
    },

    async span(relation, column, signal) {
      const name = quoted(column.name)
      const ends = `toString(min(${name})), toString(max(${name})), count(${name})`
      const { text } = statementOf(wholeOf(relation), ends, SPELLING)
      const [[least, greatest, values] = []] = await session.ask(text, {}, signal)
      return values === 0 ? undefined : [String(least), String(greatest)]
    },

    async *read(slice, call) {
      call.counted?.(await count(slice, call.signal))
      const { text, parameters } = statementOf(slice, '*', SPELLING)
      const format = 'FORMAT JSONCompactEachRowWithNamesAndTypes'
      const rowsOf = rowReader(call)
      for await (const lines of session.lines(`${text} ${format}`, valuesOf(parameters), call.signal)) {
        yield rowsOf(lines)
      }
      call.counted?.(await count(slice, call.signal))
    },

    async plan(slice, signal) {
      const { text, parameters } = statementOf(slice, '*', SPELLING)
      const lines = await session.ask(`EXPLAIN indexes = 1 ${text}`, valuesOf(parameters), signal)
      const found = [...lines.join('\n').matchAll(/Granules: (\d+)\/(\d+)/g)]
      const [of, chosen] = [Number(found[0]?.[2]), Number(found.at(-1)?.[1])]
      if (found.length === 0) return { scans: false, text: 'it says nothing of what it would read' }
      return { scans: chosen === of && of > 1, text: `it would read ${chosen} of ${plural(of, 'granule')}` }
    },

    close: () => session.close(),
  }
}

function quoted(name: string): string {
  return `\`${name.replaceAll(/[\\`]/g, '\\$&')}\``
}

const SPELLING: SqlSpelling = {
  ends: queryEnds(
    QUERY_TEXTS.dashes,
    QUERY_TEXTS.nestedComment,
    QUERY_TEXTS.escaped,
    QUERY_TEXTS.ticks,
    QUERY_TEXTS.dollars,
  ),
  quoted,
  placeholder: (parameter, index) => `{p${index}:${typeOf(parameter)}}`,
}

function typeOf(parameter: Parameter): string {
  if (parameter.kind !== 'time') return parameter.kind === 'key' ? 'Int256' : 'String'
  return parameter.column?.time === 'date' ? 'Date32' : "DateTime64(6, 'UTC')"
}

function valuesOf(parameters: Statement['parameters']): Record<string, string> {
  const values = parameters.map((parameter) => {
    if (parameter.kind !== 'time') return parameter.value
    const text = new Date(parameter.at).toISOString()
    return parameter.column?.time === 'date' ? text.slice(0, 10) : text.slice(0, 23).replace('T', ' ')
  })
  return Object.fromEntries(values.map((value, index) => [`p${index}`, value]))
}

const WRITES = /^(?:ALL|INSERT|ALTER|CREATE|DROP|UNDROP|TRUNCATE|OPTIMIZE|MOVE|KILL|SYSTEM|ACCESS|ROLE)\b/

/** What a line of SHOW GRANTS allows besides reading. */
function writingOf(grant: string): readonly string[] {
  const role = /^GRANT (\S+) TO /.exec(grant)?.[1]
  if (role !== undefined) return [`what the role ${role} may`]
  const [, rights = '', where = ''] = /^GRANT (.*) ON (\S+) TO /.exec(grant) ?? []
  const writes = rights.split(/, (?![^(]*\))/).filter((right) => WRITES.test(right))
  return writes.length === 0 ? [] : [`${writes.join(', ')} on ${where}`]
}

/** Reads rows of JSONCompactEachRowWithNamesAndTypes: the first two lines are the names and the types of the columns. */
function rowReader(call: ReadCall): (answer: AnswerLines) => readonly JsonRow[] {
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
