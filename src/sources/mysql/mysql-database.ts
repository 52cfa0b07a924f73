import { PosthaulError } from '../../errors.ts'
import { nearest } from '../../text/index.ts'
import type { Database, Parameter, ServerInfo, Slice, TableInfo } from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { type SqlSpelling, statementOf, wholeOf } from '../sql/statement.ts'
import { VendorError } from '../vendor-client.ts'
import { isFloat, mysqlCellWriter, mysqlColumn } from './mysql-cells.ts'
import { NO_SUCH_TABLE } from './mysql-error.ts'
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
export function mysqlDatabase(server: MysqlServer): Database {
  const within = async <T>(signal: AbortSignal, work: (session: MysqlSession) => Promise<T>): Promise<T> => {
    const session = await MysqlSession.open(server, signal)
    try {
      return await work(session)
    } finally {
      await session.close()
    }
  }
  const tables: Database['tables'] = (schema, signal) =>
    within(signal, (session) => tablesOf(session, schema ?? server.address.login.database))
  return {
    ...{ engine: 'MySQL', ends: SPELLING.ends, quick: 'an index on', server: server.address.server, tables },
    info: (signal) => within(signal, infoOf),

    async columns(relation, signal) {
      try {
        return await within(signal, async (session) => {
          return (await fieldsOf(session, wholeOf(relation))).map(mysqlColumn)
        })
      } catch (error) {
        const isGone = error instanceof VendorError && error.status === NO_SUCH_TABLE
        if (!isGone || relation.kind !== 'table') throw error
        throw naming(error, relation.name, await tables(relation.schema, signal))
      }
    },

    span: (relation, column, signal) =>
      within(signal, async (session) => {
        const name = SPELLING.quoted(column.name)
        const { text } = statementOf(wholeOf(relation), `MIN(${name}), MAX(${name})`, SPELLING)
        const [[least, greatest] = []] = await texts(session, text)
        return least === undefined || greatest === undefined ? undefined : [least, greatest]
      }),

    count: (slice, signal) => within(signal, (session) => countOf(session, slice)),

    async *read(slice, call) {
      const session = await MysqlSession.open(server, call.signal)
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
    },

    plan: (slice, signal) =>
      within(signal, async (session) => {
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
            .map(
              ({ table, type, key, rows }) => `${table}: ${type}, ${key ?? 'no index'}, about ${rows} rows`,
            )
            .join('; '),
        }
      }),

    close: async () => undefined,
  }
}

async function infoOf(session: MysqlSession): Promise<ServerInfo> {
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
}

async function tablesOf(session: MysqlSession, schema: string | undefined): Promise<readonly TableInfo[]> {
  const where = schema
    ? `TABLE_SCHEMA = ${textLiteral(schema)}`
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
}

/** Names the table that may be meant. */
function naming({ message, cause }: VendorError, name: string, tables: readonly TableInfo[]): PosthaulError {
  const meant = nearest(
    name,
    tables.map((table) => table.name),
  )
  return new PosthaulError(message, {
    code: 'config',
    hint: meant === undefined ? 'add --list to see the tables' : `did you mean ${meant}?`,
    cause,
  })
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

/** Rights that change nothing that is stored. */
const READS = new Set(
  [
    'USAGE',
    'SELECT',
    'SHOW DATABASES',
    'SHOW VIEW',
    'PROCESS',
    'REFERENCES',
    'REPLICATION CLIENT',
    'BINLOG MONITOR',
  ].concat(['SLAVE MONITOR', 'REPLICA MONITOR', 'SHOW_ROUTINE', 'LOCK TABLES', 'PROXY']),
)

/** The rights to write of a line of SHOW GRANTS, in words: `INSERT, UPDATE on shop.*`. */
export function rightsToWrite(grant: string): string[] {
  const [, rights, place] = /^GRANT (.*) ON (.*) TO /.exec(grant) ?? []
  if (rights === undefined) return []
  // SELECT (a, b) is of columns.
  const names = rights.replaceAll(/ ?\([^)]*\)/g, '').split(/, ?/)
  const writing = names.filter((name) => !READS.has(name))
  return writing.length === 0 ? [] : [`${writing.join(', ')} on ${place!.replaceAll(/[`"]/g, '')}`]
}
