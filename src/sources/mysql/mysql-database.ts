import { PosthaulError } from '../../errors.ts'
import { nearest } from '../../text/index.ts'
import type {
  Database,
  JsonRow,
  Parameter,
  ReadCall,
  ReadPlan,
  Relation,
  ServerInfo,
  Slice,
  TableColumn,
  TableInfo,
} from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { type SqlSpelling, statementOf } from '../sql/statement.ts'
import { VendorError } from '../vendor-client.ts'
import { isFloat, mysqlCellWriter, mysqlColumn } from './mysql-cells.ts'
import { NO_SUCH_TABLE } from './mysql-error.ts'
import { rightsToWrite } from './mysql-grants.ts'
import { type MysqlRow, type MysqlServer, MysqlSession } from './mysql-session.ts'

const SPELLING: SqlSpelling = {
  ends: queryEnds(
    QUERY_TEXTS.dashesAndBlank,
    QUERY_TEXTS.hash,
    QUERY_TEXTS.plainComment,
    QUERY_TEXTS.escaped,
    QUERY_TEXTS.ticks,
  ),
  quoted: (name) => `\`${name.replaceAll('`', '``')}\``,
  placeholder: literal,
  // The zero date and days of the year zero.
  timeless: (column) => `${column} < '0001-01-01'`,
}

/**
 * A value as a literal that no mode of the server reads otherwise: text as hex, since NO_BACKSLASH_ESCAPES changes what a backslash
 * means. The driver's own placeholders would take a ? in the text of a query for one.
 */
function literal(parameter: Parameter): string {
  if (parameter.kind === 'time') {
    const text = new Date(parameter.at).toISOString().replace('T', ' ').replace('Z', '')
    return `'${parameter.column?.time === 'date' ? text.slice(0, 10) : text}'`
  }
  if (parameter.kind === 'key') return String(BigInt(parameter.value))
  return textLiteral(parameter.value)
}

function textLiteral(text: string): string {
  return `_utf8mb4 X'${Buffer.from(text).toString('hex')}'`
}

/** Tables of fewer rows are read whole in no time, and often are for want of something quicker. */
const LARGE_ROWS = 10_000

/** A MySQL or a MariaDB. Each reading has a session of its own. */
export class MysqlDatabase implements Database {
  readonly engine = 'MySQL'
  readonly ends = SPELLING.ends
  readonly quick = 'an index on'
  readonly server: string
  readonly #server: MysqlServer

  constructor(server: MysqlServer) {
    this.#server = server
    this.server = server.address.server
  }

  info(signal: AbortSignal): Promise<ServerInfo> {
    return this.#session(signal, async (session) => {
      const [[version, database, user, now] = []] = await texts(
        session,
        'SELECT VERSION(), DATABASE(), CURRENT_USER(), UNIX_TIMESTAMP(SYSDATE(3))',
      )
      const product = /mariadb/i.test(version!) ? 'MariaDB' : 'MySQL'
      const number = version!.replace(/-.*/, '')
      const grants = await texts(session, 'SHOW GRANTS')
      return {
        about: `${product} ${number}, ${database ? `database ${database}` : 'no database'}, user ${user}`,
        mayWrite: grants.flatMap(([grant]) => rightsToWrite(grant!)),
        now: Number(now) * 1000,
      }
    })
  }

  tables(schema: string | undefined, signal: AbortSignal): Promise<readonly TableInfo[]> {
    return this.#session(signal, async (session) => {
      const named = schema ?? this.#server.address.login.database
      const where = named
        ? `TABLE_SCHEMA = ${textLiteral(named)}`
        : "TABLE_SCHEMA NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
      const rows = await texts(
        session,
        `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS, DATA_LENGTH + INDEX_LENGTH, TABLE_TYPE
         FROM information_schema.TABLES WHERE ${where} ORDER BY 1, 2`,
      )
      return rows.map(([schema, name, rows, bytes, type]) => ({
        schema,
        name: name!,
        rows: rows === undefined ? undefined : Number(rows),
        bytes: bytes === undefined ? undefined : Number(bytes),
        isView: type!.includes('VIEW'),
      }))
    })
  }

  async columns(relation: Relation, signal: AbortSignal): Promise<readonly TableColumn[]> {
    const slice: Slice = { relation, where: { by: 'all', order: undefined }, only: [] }
    try {
      return await this.#session(signal, async (session) => (await fieldsOf(session, slice)).map(mysqlColumn))
    } catch (error) {
      throw await this.#withNearest(error, relation, signal)
    }
  }

  /** Names the table that may be meant. */
  async #withNearest(error: unknown, relation: Relation, signal: AbortSignal): Promise<unknown> {
    if (!(error instanceof VendorError) || error.status !== NO_SUCH_TABLE || relation.kind !== 'table') {
      return error
    }
    const names = (await this.tables(relation.schema, signal)).map(({ name }) => name)
    const meant = nearest(relation.name, names)
    return new PosthaulError(error.message, {
      code: 'config',
      hint: meant === undefined ? 'add --list to see the tables' : `did you mean ${meant}?`,
      cause: error.cause,
    })
  }

  span(
    relation: Relation,
    column: TableColumn,
    signal: AbortSignal,
  ): Promise<readonly [least: string, greatest: string] | undefined> {
    return this.#session(signal, async (session) => {
      const name = SPELLING.quoted(column.name)
      const { text } = statementOf(
        { relation, where: { by: 'all', order: undefined }, only: [] },
        `MIN(${name}), MAX(${name})`,
        SPELLING,
      )
      const [[least, greatest] = []] = await texts(session, text)
      return least === undefined || greatest === undefined ? undefined : [least, greatest]
    })
  }

  count(slice: Slice, signal: AbortSignal): Promise<number> {
    return this.#session(signal, (session) => countOf(session, slice))
  }

  async *read(slice: Slice, call: ReadCall): AsyncGenerator<readonly JsonRow[]> {
    const session = await MysqlSession.open(this.#server, call.signal)
    try {
      const fields = await fieldsOf(session, slice)
      call.columns(fields.map(({ name }) => name))
      call.counted?.(await countOf(session, slice))
      const writers = fields.map((field) => mysqlCellWriter(field, call))
      const json = (row: MysqlRow) => row.map((cell, at) => (cell === null ? null : writers[at]!(cell)))
      // The server prints six digits of a FLOAT; as a double it shows all. A sum would take the sign of -0.
      const columns = fields.map((field) => {
        const name = SPELLING.quoted(field.name)
        return isFloat(field) ? `${name} * 1e0` : name
      })
      const { text } = statementOf(slice, columns.join(', '), SPELLING)
      for await (const rows of session.batches(text)) yield rows.map(json)
    } finally {
      await session.close()
    }
  }

  plan(slice: Slice, signal: AbortSignal): Promise<ReadPlan> {
    return this.#session(signal, async (session) => {
      const { fields, rows } = await session.ask(
        `EXPLAIN FORMAT=TRADITIONAL ${statementOf(slice, '*', SPELLING).text}`,
      )
      const steps = rows.map((row) =>
        Object.fromEntries(fields.map(({ name }, at) => [name, row[at]?.toString()])),
      )
      // What is made on the way has no table of its own, or one in brackets.
      const read = steps.filter(({ table }) => table !== undefined && !table.startsWith('<'))
      return {
        scans: read.some(
          ({ type, rows }) => (type === 'ALL' || type === 'index') && Number(rows) >= LARGE_ROWS,
        ),
        text: read
          .map(({ table, type, key, rows }) => `${table}: ${type}, ${key ?? 'no index'}, about ${rows} rows`)
          .join('; '),
      }
    })
  }

  async close(): Promise<void> {}

  async #session<T>(signal: AbortSignal, work: (session: MysqlSession) => Promise<T>): Promise<T> {
    const session = await MysqlSession.open(this.#server, signal)
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }
}

async function fieldsOf(session: MysqlSession, slice: Slice) {
  return (await session.ask(`${statementOf(slice, '*', SPELLING).text} LIMIT 0`)).fields
}

async function countOf(session: MysqlSession, slice: Slice): Promise<number> {
  const [[count] = []] = await texts(session, statementOf(slice, 'count(*)', SPELLING).text)
  return Number(count)
}

async function texts(session: MysqlSession, sql: string): Promise<readonly (string | undefined)[][]> {
  return (await session.ask(sql)).rows.map((row) => row.map((cell) => cell?.toString()))
}
