import { nearest } from '../../text/index.ts'
import type { Database, JsonRow, Parameter, Slice, TablePath } from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { type SqlSpelling, type Statement, statementOf, wholeOf } from '../sql/statement.ts'
import { VendorError } from '../vendor-client.ts'
import type { PostgresAddress } from './postgres-address.ts'
import { columnsOf, infoOf, postgresTables, typesOf } from './postgres-catalog.ts'
import { postgresCell } from './postgres-cells.ts'
import { isNoTable } from './postgres-errors.ts'
import { type PostgresField, PostgresSessions, type PostgresSnapshot } from './postgres-session.ts'

/** A batch has at most so many rows, and about so much text: rows can be long. */
const MOST_ROWS = 5000
const BATCH_CHARS = 4 * 1024 * 1024
/** Plans that cost less than this read tables of some megabytes, which every server reads whole. */
const LARGE_COST = 1000

const TIME_TYPES = { instant: 'timestamptz', naive: 'timestamp', date: 'date' } as const

const SPELLING: SqlSpelling = {
  ends: queryEnds(
    QUERY_TEXTS.dashes,
    QUERY_TEXTS.nestedComment,
    QUERY_TEXTS.escapeString,
    QUERY_TEXTS.doubled,
    QUERY_TEXTS.dollars,
  ),
  quoted: (name) => `"${name.replaceAll('"', '""')}"`,
  placeholder(parameter, index) {
    // The type of a restriction's value is that of its column.
    if (parameter.kind !== 'time') return `$${index + 1}${parameter.kind === 'key' ? '::bigint' : ''}`
    return `$${index + 1}::${TIME_TYPES[parameter.column?.time ?? 'instant']}`
  },
  // Not isfinite(column), for which there is no index.
  timeless: (column) => `${column} = 'infinity' OR ${column} = '-infinity'`,
}

/** A Postgres. Every reading is a transaction of its own, at one snapshot. */
export function postgresDatabase(address: PostgresAddress, timeoutMs: number): Database {
  const sessions = new PostgresSessions(address, timeoutMs)
  const tables: Database['tables'] = (schema, signal) =>
    sessions.inSnapshot(signal, (snapshot) => postgresTables(snapshot, schema))
  return {
    ...{ engine: 'Postgres', ends: SPELLING.ends, quick: 'an index on', server: address.server, tables },
    info: (signal) => sessions.inSnapshot(signal, infoOf),

    async columns(relation, signal) {
      try {
        return await sessions.inSnapshot(signal, async (snapshot) => {
          return columnsOf(snapshot, await fieldsOf(snapshot, statementOf(wholeOf(relation), '*', SPELLING)))
        })
      } catch (error) {
        throw isNoTable(error) && relation.kind === 'table'
          ? naming(error, relation, await tables(undefined, signal))
          : error
      }
    },

    async span(relation, column, signal) {
      const { text } = statementOf(wholeOf(relation), '*', SPELLING)
      const name = SPELLING.quoted(column.name)
      const finite = column.timeless ? ` WHERE isfinite(${name})` : ''
      const { rows } = await sessions.inSnapshot(signal, (snapshot) =>
        snapshot.query(
          `SELECT min(${name})::text, max(${name})::text FROM (${text}) AS posthaul_span${finite}`,
        ),
      )
      const [least, greatest] = rows[0] ?? []
      return typeof least === 'string' && typeof greatest === 'string' ? [least, greatest] : undefined
    },

    count: (slice, signal) => sessions.inSnapshot(signal, (snapshot) => countOf(snapshot, slice)),

    async *read(slice, call) {
      const snapshot = await sessions.begin(call.signal)
      try {
        const statement = statementOf(slice, '*', SPELLING)
        const fields = await fieldsOf(snapshot, statement)
        const types = await typesOf(snapshot, fields)
        call.columns(fields.map(({ name }) => name))
        call.counted?.(await countOf(snapshot, slice))
        const cells = fields.map(({ name: column, dataTypeID }) =>
          postgresCell(String(dataTypeID), types, { column, call }),
        )
        await snapshot.query(`DECLARE posthaul NO SCROLL CURSOR FOR ${statement.text}`, valuesOf(statement))
        for (let most = 100, got = most; got === most; ) {
          const { rows } = await snapshot.query(`FETCH ${most} FROM posthaul`)
          got = rows.length
          const batch = rows.map((row) => row.map((text, at) => (text === null ? null : cells[at]!(text))))
          if (got > 0) yield batch
          if (got === most) got = most = nextBatch(batch)
        }
      } finally {
        await snapshot.end()
      }
    },

    plan: (slice, signal) =>
      sessions.inSnapshot(signal, async (snapshot) => {
        const plan = await planOf(snapshot, slice)
        const nodes = nodesOf(plan)
        const whole = slice.where.by === 'ends' ? plan : await planOf(snapshot, wholeOf(slice.relation))
        // Of a partitioned table some parts are read whole, which is as it should be.
        const isMost = plan['Total Cost'] >= LARGE_COST && plan['Total Cost'] >= whole['Total Cost'] / 2
        return {
          scans: isMost && nodes.some((node) => node['Node Type'] === 'Seq Scan'),
          text: nodes.map(nodeText).join(' < '),
        }
      }),

    close: () => sessions.close(),
  }
}

/** For a table that is not there, the error names the one that was meant. */
function naming(error: VendorError, relation: TablePath, tables: readonly TablePath[]): VendorError {
  const nameOf = ({ schema, name }: TablePath) => (relation.schema === undefined ? name : `${schema}.${name}`)
  const meant = nearest(nameOf(relation), tables.map(nameOf))
  const found = tables.find((table) => nameOf(table) === meant)
  if (found === undefined) return error
  const hint = `did you mean ${found.schema}.${found.name}?`
  return new VendorError(error.message, { code: 'config', hint, cause: error })
}

type PlanNode = {
  readonly 'Node Type': string
  readonly 'Total Cost': number
  readonly 'Plan Rows': number
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly Plans?: readonly PlanNode[]
}

async function planOf(snapshot: PostgresSnapshot, slice: Slice): Promise<PlanNode> {
  const statement = statementOf(slice, '*', SPELLING)
  const { rows } = await snapshot.query(`EXPLAIN (FORMAT JSON) ${statement.text}`, valuesOf(statement))
  return (JSON.parse(rows[0]![0]!) as [{ Plan: PlanNode }])[0].Plan
}

function nodesOf(node: PlanNode): PlanNode[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)]
}

function nodeText(node: PlanNode): string {
  const [on, index] = [node['Relation Name'], node['Index Name']]
  return `${node['Node Type']}${on ? ` on ${on}` : ''}${index ? ` by ${index}` : ''}`
}

/** The columns of a statement's rows, none of which is read. */
async function fieldsOf(snapshot: PostgresSnapshot, statement: Statement): Promise<readonly PostgresField[]> {
  const { fields } = await snapshot.query(`${statement.text} LIMIT 0`, valuesOf(statement))
  return fields
}

async function countOf(snapshot: PostgresSnapshot, slice: Slice): Promise<number> {
  const statement = statementOf(slice, 'count(*)', SPELLING)
  const { rows } = await snapshot.query(statement.text, valuesOf(statement))
  return Number(rows[0]![0])
}

/** How many rows come next: four times as many at most, and no more than the text of a batch has place for. */
function nextBatch(batch: readonly JsonRow[]): number {
  const chars = batch.reduce((sum, row) => sum + row.reduce((all, cell) => all + (cell?.length ?? 4), 0), 1)
  const fitting = Math.floor((batch.length * BATCH_CHARS) / chars)
  return Math.max(1, Math.min(MOST_ROWS, batch.length * 4, fitting))
}

function valuesOf({ parameters }: Statement): string[] {
  return parameters.map(boundText)
}

function boundText(parameter: Parameter): string {
  if (parameter.kind !== 'time') return parameter.value
  const text = new Date(parameter.at).toISOString()
  if (parameter.column?.time === 'date') return text.slice(0, 10)
  return parameter.column?.time === 'naive' ? text.replace('T', ' ').replace('Z', '') : text
}
