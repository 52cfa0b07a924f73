import { z } from 'zod'
import { bytes, GIB } from '../../text/index.ts'
import type { Database, Parameter, Relation, Slice, TableColumn, TimeKind, Where } from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { columnNamed, whereWords } from '../sql/slices.ts'
import { type SqlSpelling, statementOf, wholeOf } from '../sql/statement.ts'
import { cutShort } from '../vendor-client.ts'
import { type BigQueryApi, BigQueryError } from './bigquery-api.ts'
import { BIGQUERY_FIELDS, type BigQueryField, typeOf } from './bigquery-cells.ts'
import { type Dataset, datasetIn, datasetName, datasetPath } from './bigquery-dataset.ts'
import { type QueryJobOptions, queryJobs, type TypedQuery } from './bigquery-jobs.ts'
import { pagesOf } from './bigquery-pages.ts'

interface BigQueryOptions extends QueryJobOptions {
  /** Whose the credentials are; undefined for a user. */
  owner(): Promise<string | undefined>
  note(text: string): void
}

const TIMES: Readonly<Record<string, TimeKind>> = { TIMESTAMP: 'instant', DATETIME: 'naive', DATE: 'date' }
/** When rows came, in a table that is divided by it. SELECT * leaves it out. */
const ARRIVAL: BigQueryField = { name: '_PARTITIONTIME', type: 'TIMESTAMP' }

const SPELLING: SqlSpelling = {
  ends: queryEnds(
    QUERY_TEXTS.dashes,
    QUERY_TEXTS.hash,
    QUERY_TEXTS.comment,
    QUERY_TEXTS.tripled,
    QUERY_TEXTS.escaped,
    QUERY_TEXTS.ticks,
  ),
  quoted: (name) => `\`${name.replaceAll(/[\\`]/g, (sign) => `\\${sign}`)}\``,
  placeholder: (_, index) => `@p${index}`,
}

/**
 * BigQuery by its REST API. A whole table is listed, which is no query and costs nothing. All else is one query, whose rows and
 * whose number of rows are of one snapshot, since BigQuery keeps its result.
 */
export function bigQueryDatabase(api: BigQueryApi, options: BigQueryOptions): Database {
  const { dataset: own, nulls } = options
  const jobs = queryJobs(api, options)
  /** By the relation's name: the most bytes of a query that the user was told. */
  const noted = new Map<string, number>()

  const datasetOf = (schema: string | undefined) =>
    schema === undefined ? own : datasetIn(schema, own.project)
  const schemaOf = (relation: Relation) => (relation.kind === 'table' ? relation.schema : undefined)
  const pathOf = (relation: Relation) =>
    `${datasetPath(datasetOf(schemaOf(relation)))}/tables/${encodeURIComponent(relation.name)}`
  const tableOf = (relation: Relation, signal: AbortSignal): Promise<TableAnswer> => {
    const read = (text: string) => TABLE_ANSWER.parse(JSON.parse(text))
    return api.ask({ path: pathOf(relation), read }, signal)
  }

  /** The table of a slice that is all of one. What was streamed into it just now is not in its count, and needs a query. */
  const listable = async ({ relation, where, only }: Slice, signal: AbortSignal) => {
    if (!isPlain(relation) || where.by !== 'all' || only.length > 0) return undefined
    const table = await tableOf(relation, signal)
    const { type, streamingBuffer, numRows } = table
    return type === 'TABLE' && streamingBuffer === undefined && numRows !== undefined ? table : undefined
  }

  const columnsOf = async (slice: Slice, signal: AbortSignal): Promise<readonly TableColumn[]> => {
    const table = isPlain(slice.relation) ? await tableOf(slice.relation, signal) : undefined
    const fields = table?.schema.fields ?? (await asked({ ...slice, only: [] }, signal)).query.schema?.fields
    const { timePartitioning, rangePartitioning } = table ?? {}
    const hidden = timePartitioning && timePartitioning.field === undefined ? [ARRIVAL] : []
    return [...(fields ?? []), ...hidden].map((field): TableColumn => {
      const type = typeOf(field)
      const isList = field.mode === 'REPEATED'
      return {
        name: field.name,
        type: isList ? `ARRAY<${type}>` : type,
        nullable: field.mode !== 'REQUIRED',
        time: isList ? undefined : TIMES[type],
        timeless: false,
        // By a key that the table isn't divided by, each range would cost as much as the whole.
        integer: field.name === rangePartitioning?.field,
      }
    })
  }

  /** The query of a slice, its table by its whole name. */
  const queryOf = async (slice: Slice, what: string, signal: AbortSignal): Promise<TypedQuery> => {
    const { relation } = slice
    const name = `${datasetName(datasetOf(schemaOf(relation)))}.${relation.name}`
    const whole = { ...relation, schema: undefined, name }
    const { text, parameters } = statementOf({ ...slice, relation: whole }, what, SPELLING)
    const needsTypes = parameters.some(({ kind }) => kind !== 'time')
    const columns = needsTypes ? await columnsOf(slice, signal) : []
    return { text, parameters: parameters.map((one) => typed(one, columns, relation.name)) }
  }

  /** What BigQuery says of a slice's rows before it is asked for them. */
  const asked = async (slice: Slice, signal: AbortSignal) =>
    (await jobs.dryRun(await queryOf(slice, '*', signal), signal)).statistics

  /** Rows and bytes of a dataset's tables; nothing for one who may run no queries. */
  const sizesIn = async (dataset: Dataset, signal: AbortSignal) => {
    const from = SPELLING.quoted(`${datasetName(dataset)}.__TABLES__`)
    const text = `SELECT table_id, row_count, size_bytes FROM ${from}`
    try {
      const rows = await jobs.all({ text, parameters: [] }, signal)
      return new Map(rows.map(([id, ...sizes]) => [String(JSON.parse(id!)), sizes.map(Number)]))
    } catch (error) {
      if (error instanceof BigQueryError && error.code === 'auth') return new Map<string, number[]>()
      throw error
    }
  }

  const note = (name: string, where: Where, processed: number): void => {
    const before = noted.get(name)
    if (processed === 0 || (before !== undefined && processed <= 2 * before)) return
    noted.set(name, processed)
    options.note(`${name}, ${whereWords(where)}: BigQuery processes ${bytes(processed)} for it`)
  }

  return {
    ...{ engine: 'BigQuery', ends: SPELLING.ends, quick: 'a table that is partitioned by' },
    ...{ origin: api.options.origin, listsTables: true },
    server: `bigquery.googleapis.com/${datasetName(own)}`,

    async info(signal) {
      const { location, access, now } = await api.ask(
        {
          path: datasetPath(own),
          read: (text, { date = '' }) => ({
            ...DATASET_ANSWER.parse(JSON.parse(text)),
            now: Date.parse(date),
          }),
        },
        signal,
      )
      const email = await options.owner()
      const roles = access.filter(({ userByEmail }) => userByEmail !== undefined && userByEmail === email)
      const mayWrite = roles.flatMap(({ role = '' }) =>
        /^WRITER$|owner|editor|admin/i.test(role) ? [role] : [],
      )
      return {
        about: `BigQuery, dataset ${datasetName(own)} (${location}), ${email ?? 'a user'}`,
        mayWrite,
        now,
      }
    },

    async tables(schema, signal) {
      const dataset = datasetOf(schema)
      const found: z.infer<typeof TABLE_LIST_ANSWER>['tables'] = []
      const read = (text: string) => TABLE_LIST_ANSWER.parse(JSON.parse(text))
      let token: string | undefined
      do {
        const query = new URLSearchParams({
          maxResults: '1000',
          ...(token !== undefined && { pageToken: token }),
        })
        const page = await api.ask({ path: `${datasetPath(dataset)}/tables?${query}`, read }, signal)
        found.push(...page.tables)
        token = page.nextPageToken
      } while (token !== undefined)
      const sizes = await sizesIn(dataset, signal)
      // The dataset is an option of its own, and no part of a name.
      const isOwn = datasetName(dataset) === datasetName(own)
      return found.map(({ type, tableReference: { tableId: name } }) => {
        const [rows, size] = (type === 'TABLE' && sizes.get(name)) || []
        const isView = type.endsWith('VIEW')
        return { schema: isOwn ? undefined : datasetName(dataset), name, rows, bytes: size, isView }
      })
    },

    columns: (relation, signal) => columnsOf(wholeOf(relation), signal),

    /** Of a time nothing, where it would cost much: nobody needs it. */
    async span(relation, { name, time }, signal) {
      const ends = `MIN(${SPELLING.quoted(name)}), MAX(${SPELLING.quoted(name)})`
      const query = await queryOf(wholeOf(relation), ends, signal)
      const { statistics } = await jobs.dryRun(query, signal)
      if (time !== undefined && Number(statistics.totalBytesProcessed) > GIB) return undefined
      const [row = []] = await jobs.all(query, signal)
      const [least, most] = row.map((json) => json?.replaceAll('"', ''))
      return least && most ? [least, most] : undefined
    },

    async count(slice, signal) {
      const table = await listable(slice, signal)
      if (table) return Number(table.numRows)
      const [row] = await jobs.all(await queryOf(slice, 'count(*)', signal), signal)
      return Number(row?.[0])
    },

    async *read(slice, call) {
      const { relation, where } = slice
      const table = await listable(slice, call.signal)
      if (table === undefined) {
        const query = await queryOf(slice, '*', call.signal)
        return yield* jobs.rows(query, call, (processed) => note(relation.name, where, processed))
      }
      call.counted?.(Number(table.numRows))
      yield* pagesOf(api, { path: `${pathOf(relation)}/data`, fields: table.schema.fields, nulls }, call)
      // Pages are no snapshot: rows that are replaced meanwhile may be as many as before.
      const after = await tableOf(relation, call.signal)
      if (after.lastModifiedTime !== table.lastModifiedTime) {
        throw cutShort(`BigQuery: ${relation.name} changed while it was read`)
      }
    },

    async plan(slice, signal) {
      if (await listable(slice, signal)) return { scans: true, text: 'listed whole, without a query' }
      const processed = Number((await asked(slice, signal)).totalBytesProcessed)
      const size = isPlain(slice.relation) ? Number((await tableOf(slice.relation, signal)).numBytes) : 0
      const of = size > 0 ? ` of ${bytes(size)}` : ''
      return {
        scans: size > 0 && processed >= size,
        text: `a query that processes ${bytes(processed)}${of}`,
      }
    },

    close: () => api.close(),
  }
}

/** A table by its own name, and not several by a pattern. */
function isPlain(relation: Relation): boolean {
  return relation.kind === 'table' && !relation.name.includes('*')
}

/** A parameter with the type of its column: BigQuery converts none. */
function typed(
  parameter: Parameter,
  columns: readonly TableColumn[],
  table: string,
): TypedQuery['parameters'][number] {
  if (parameter.kind !== 'time') {
    return { type: columnNamed(parameter.column, columns, table).type, value: parameter.value }
  }
  const text = new Date(parameter.at).toISOString()
  switch (parameter.column?.time) {
    case 'date':
      return { type: 'DATE', value: text.slice(0, 10) }
    case 'naive':
      return { type: 'DATETIME', value: text.slice(0, -1) }
    default:
      return { type: 'TIMESTAMP', value: text }
  }
}

// Answers of the REST API (v2), as far as they are read: https://cloud.google.com/bigquery/docs/reference/rest

const DIGITS = z.string().regex(/^\d+$/)
/** What is known of a table. */
const TABLE_ANSWER = z.object({
  kind: z.literal('bigquery#table'),
  type: z.string(),
  numRows: DIGITS.optional(),
  numBytes: DIGITS.default('0'),
  lastModifiedTime: DIGITS.optional(),
  schema: z.object({ fields: BIGQUERY_FIELDS.default([]) }).default({ fields: [] }),
  streamingBuffer: z.unknown().optional(),
  timePartitioning: z.object({ field: z.string().optional() }).optional(),
  rangePartitioning: z.object({ field: z.string() }).optional(),
})
type TableAnswer = z.infer<typeof TABLE_ANSWER>

/** A page of a list of tables. */
const TABLE_LIST_ANSWER = z.object({
  kind: z.literal('bigquery#tableList'),
  tables: z
    .array(z.object({ type: z.string(), tableReference: z.object({ tableId: z.string() }) }))
    .default([]),
  nextPageToken: z.string().optional(),
})

/** What is known of a dataset. */
const DATASET_ANSWER = z.object({
  kind: z.literal('bigquery#dataset'),
  location: z.string(),
  access: z.array(z.object({ role: z.string(), userByEmail: z.string() }).partial()).default([]),
})
