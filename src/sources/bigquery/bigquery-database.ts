import type { z } from 'zod'
import { bytes, GIB } from '../../text/index.ts'
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
  TimeKind,
  Where,
} from '../sql/database.ts'
import { QUERY_TEXTS, queryEnds } from '../sql/query-ends.ts'
import { columnNamed, whereWords } from '../sql/slices.ts'
import { type SqlSpelling, statementOf, wholeOf } from '../sql/statement.ts'
import { cutShort } from '../vendor-client.ts'
import { DATASET_ANSWER, TABLE_ANSWER, TABLE_LIST_ANSWER, type TableAnswer } from './bigquery-answers.ts'
import { type BigQueryApi, BigQueryError } from './bigquery-api.ts'
import { type BigQueryField, typeOf } from './bigquery-cells.ts'
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
export class BigQuery implements Database {
  readonly engine = 'BigQuery'
  readonly ends = SPELLING.ends
  readonly quick = 'a table that is partitioned by'
  readonly origin: string
  readonly server: string
  readonly listsTables = true
  readonly #api: BigQueryApi
  readonly #jobs: ReturnType<typeof queryJobs>
  readonly #options: BigQueryOptions
  /** By the relation's name: the most bytes of a query that the user was told. */
  readonly #noted = new Map<string, number>()

  constructor(api: BigQueryApi, options: BigQueryOptions) {
    this.#api = api
    this.#jobs = queryJobs(api, options)
    this.#options = options
    this.origin = api.options.origin
    this.server = `bigquery.googleapis.com/${datasetName(options.dataset)}`
  }

  async info(signal: AbortSignal): Promise<ServerInfo> {
    const { dataset, owner } = this.#options
    const { location, access, now } = await this.#api.ask(
      {
        path: datasetPath(dataset),
        read: (text, { date = '' }) => ({ ...DATASET_ANSWER.parse(JSON.parse(text)), now: Date.parse(date) }),
      },
      signal,
    )
    const email = await owner()
    const roles = access.filter(({ userByEmail }) => userByEmail !== undefined && userByEmail === email)
    const writing = roles.flatMap(({ role = '' }) =>
      /^WRITER$|owner|editor|admin/i.test(role) ? [role] : [],
    )
    const about = `BigQuery, dataset ${datasetName(dataset)} (${location}), ${email ?? 'a user'}`
    return { about, mayWrite: writing, now }
  }

  async tables(schema: string | undefined, signal: AbortSignal): Promise<readonly TableInfo[]> {
    const dataset = this.#dataset(schema)
    const found: z.infer<typeof TABLE_LIST_ANSWER>['tables'] = []
    const read = (text: string) => TABLE_LIST_ANSWER.parse(JSON.parse(text))
    let token: string | undefined
    do {
      const query = new URLSearchParams({
        maxResults: '1000',
        ...(token !== undefined && { pageToken: token }),
      })
      const page = await this.#api.ask({ path: `${datasetPath(dataset)}/tables?${query}`, read }, signal)
      found.push(...page.tables)
      token = page.nextPageToken
    } while (token !== undefined)
    const sizes = await this.#sizes(dataset, signal)
    // The dataset is an option of its own, and no part of a name.
    const isOwn = datasetName(dataset) === datasetName(this.#options.dataset)
    return found.map(({ type, tableReference: { tableId: name } }) => {
      const [rows, size] = (type === 'TABLE' && sizes.get(name)) || []
      const isView = type.endsWith('VIEW')
      return { schema: isOwn ? undefined : datasetName(dataset), name, rows, bytes: size, isView }
    })
  }

  /** Rows and bytes of a dataset's tables; nothing for one who may run no queries. */
  async #sizes(dataset: Dataset, signal: AbortSignal): Promise<ReadonlyMap<string, readonly number[]>> {
    const from = SPELLING.quoted(`${datasetName(dataset)}.__TABLES__`)
    const text = `SELECT table_id, row_count, size_bytes FROM ${from}`
    try {
      const rows = await this.#jobs.all({ text, parameters: [] }, signal)
      return new Map(rows.map(([id, ...sizes]) => [String(JSON.parse(id!)), sizes.map(Number)]))
    } catch (error) {
      if (error instanceof BigQueryError && error.code === 'auth') return new Map()
      throw error
    }
  }

  columns(relation: Relation, signal: AbortSignal): Promise<readonly TableColumn[]> {
    return this.#columnsOf(wholeOf(relation), signal)
  }

  /** Of a time nothing, where it would cost much: nobody needs it. */
  async span(relation: Relation, { name, time }: TableColumn, signal: AbortSignal) {
    const { text } = await this.#asked(wholeOf(relation), '*', signal)
    const ends = `MIN(${SPELLING.quoted(name)}), MAX(${SPELLING.quoted(name)})`
    const query = { text: text.replace('*', () => ends), parameters: [] }
    const { statistics } = await this.#jobs.dryRun(query, signal)
    if (time !== undefined && Number(statistics.totalBytesProcessed) > GIB) return undefined
    const [row = []] = await this.#jobs.all(query, signal)
    const [least, most] = row.map((json) => json?.replaceAll('"', ''))
    return least && most ? ([least, most] as const) : undefined
  }

  async count(slice: Slice, signal: AbortSignal): Promise<number> {
    const table = await this.#listable(slice, signal)
    if (table) return Number(table.numRows)
    const [row] = await this.#jobs.all(await this.#asked(slice, 'count(*)', signal), signal)
    return Number(row?.[0])
  }

  async *read(slice: Slice, call: ReadCall): AsyncGenerator<readonly JsonRow[]> {
    const { relation, where } = slice
    const table = await this.#listable(slice, call.signal)
    if (table === undefined) {
      const query = await this.#asked(slice, '*', call.signal)
      return yield* this.#jobs.rows(query, call, (processed) => this.#note(relation.name, where, processed))
    }
    call.counted?.(Number(table.numRows))
    const { nulls } = this.#options
    const path = `${this.#pathOf(relation)}/data`
    yield* pagesOf(this.#api, { path, fields: table.schema.fields, nulls }, call)
    // Pages are no snapshot: rows that are replaced meanwhile may be as many as before.
    const after = await this.#table(relation, call.signal)
    if (after.lastModifiedTime !== table.lastModifiedTime) {
      throw cutShort(`BigQuery: ${relation.name} changed while it was read`)
    }
  }

  async plan(slice: Slice, signal: AbortSignal): Promise<ReadPlan> {
    if (await this.#listable(slice, signal)) return { scans: true, text: 'listed whole, without a query' }
    const { statistics } = await this.#jobs.dryRun(await this.#asked(slice, '*', signal), signal)
    const asked = Number(statistics.totalBytesProcessed)
    const size = isPlain(slice.relation) ? Number((await this.#table(slice.relation, signal)).numBytes) : 0
    const of = size > 0 ? ` of ${bytes(size)}` : ''
    return { scans: size > 0 && asked >= size, text: `a query that processes ${bytes(asked)}${of}` }
  }

  close(): Promise<void> {
    return this.#api.close()
  }

  /** The table of a slice that is all of one. What was streamed into it just now is not in its count, and needs a query. */
  async #listable({ relation, where, only }: Slice, signal: AbortSignal): Promise<TableAnswer | undefined> {
    if (!isPlain(relation) || where.by !== 'all' || only.length > 0) return undefined
    const table = await this.#table(relation, signal)
    const { type, streamingBuffer, numRows } = table
    return type === 'TABLE' && streamingBuffer === undefined && numRows !== undefined ? table : undefined
  }

  #table(relation: Relation, signal: AbortSignal): Promise<TableAnswer> {
    const read = (text: string) => TABLE_ANSWER.parse(JSON.parse(text))
    return this.#api.ask({ path: this.#pathOf(relation), read }, signal)
  }

  #pathOf(relation: Relation): string {
    const schema = relation.kind === 'table' ? relation.schema : undefined
    return `${datasetPath(this.#dataset(schema))}/tables/${encodeURIComponent(relation.name)}`
  }

  #dataset(schema: string | undefined): Dataset {
    const { dataset } = this.#options
    return schema === undefined ? dataset : datasetIn(schema, dataset.project)
  }

  async #columnsOf({ relation, where }: Slice, signal: AbortSignal): Promise<readonly TableColumn[]> {
    const table = isPlain(relation) ? await this.#table(relation, signal) : undefined
    const fields = table?.schema.fields ?? (await this.#answered({ relation, where, only: [] }, signal))
    const { timePartitioning, rangePartitioning } = table ?? {}
    const hidden = timePartitioning && timePartitioning.field === undefined ? [ARRIVAL] : []
    return [...fields, ...hidden].map((field): TableColumn => {
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

  /** The columns of a query's answer. */
  async #answered(slice: Slice, signal: AbortSignal): Promise<readonly BigQueryField[]> {
    const { statistics } = await this.#jobs.dryRun(await this.#asked(slice, '*', signal), signal)
    return statistics.query.schema?.fields ?? []
  }

  /** The query of a slice, its table by its whole name. */
  async #asked(slice: Slice, what: 'count(*)' | '*', signal: AbortSignal): Promise<TypedQuery> {
    const { relation } = slice
    const dataset = this.#dataset(relation.kind === 'table' ? relation.schema : undefined)
    const whole = { ...relation, schema: undefined, name: `${datasetName(dataset)}.${relation.name}` }
    const { text, parameters } = statementOf({ ...slice, relation: whole }, what, SPELLING)
    const needsTypes = parameters.some(({ kind }) => kind !== 'time')
    const columns = needsTypes ? await this.#columnsOf(slice, signal) : []
    return { text, parameters: parameters.map((one) => typed(one, columns, relation.name)) }
  }

  #note(name: string, where: Where, processed: number): void {
    const noted = this.#noted.get(name)
    if (processed === 0 || (noted !== undefined && processed <= 2 * noted)) return
    this.#noted.set(name, processed)
    this.#options.note(`${name}, ${whereWords(where)}: BigQuery processes ${bytes(processed)} for it`)
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
