import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type { JsonRow, ReadCall } from '../sql/database.ts'
import { VendorError } from '../vendor-client.ts'
import { type BigQueryApi, BigQueryError, bigQueryRefusal } from './bigquery-api.ts'
import { BIGQUERY_FIELDS } from './bigquery-cells.ts'
import type { Dataset } from './bigquery-dataset.ts'
import { pagesOf } from './bigquery-pages.ts'

/** What queries are given besides their text. */
export interface QueryJobOptions {
  readonly dataset: Dataset
  /** The project that queries run in, and that pays for them. */
  readonly project: string
  readonly location: string | undefined
  readonly maxBytesBilled: number | undefined
  /** Whether NULL within a record is written. */
  readonly nulls: boolean
}

/** A query, its parameters with the types that it takes them for. */
export interface TypedQuery {
  readonly text: string
  readonly parameters: readonly { readonly type: string; readonly value: string }[]
}

const LONGEST_WAIT_MS = 10_000

const JOB = z.object({
  kind: z.literal('bigquery#job'),
  jobReference: z.object({ location: z.string().optional() }),
  status: z.object({ errorResult: z.object({ reason: z.string(), message: z.string() }).optional() }),
  statistics: z.object({
    totalBytesProcessed: z.string().regex(/^\d+$/).default('0'),
    query: z
      .object({
        statementType: z.string(),
        schema: z.object({ fields: BIGQUERY_FIELDS.default([]) }).optional(),
      })
      .partial()
      .default({}),
  }),
})
type Job = z.infer<typeof JOB>

/** Query jobs. Each is first asked about, which costs nothing, and only SELECT is run. */
export function queryJobs(api: BigQueryApi, options: QueryJobOptions) {
  const { dataset, project, location, maxBytesBilled, nulls } = options
  const base = `projects/${encodeURIComponent(project)}`

  /** Orders a job, or only asks about it where it gets no id. */
  const order = (
    { text, parameters }: TypedQuery,
    at: { readonly jobId?: string; readonly location?: string },
    signal: AbortSignal,
  ): Promise<Job> => {
    const body = {
      jobReference: { projectId: project, ...at },
      configuration: {
        ...(at.jobId === undefined && { dryRun: true }),
        labels: { tool: 'posthaul' },
        query: {
          ...{ query: text, useLegacySql: false, parameterMode: 'NAMED' },
          queryParameters: parameters.map(({ type, value }, index) => {
            return { name: `p${index}`, parameterType: { type }, parameterValue: { value } }
          }),
          defaultDataset: { projectId: dataset.project, datasetId: dataset.name },
          ...(maxBytesBilled !== undefined && { maximumBytesBilled: String(maxBytesBilled) }),
        },
      },
    }
    const read = (text: string) => JOB.parse(JSON.parse(text))
    return api.ask({ path: `${base}/jobs`, body, read }, signal)
  }

  /** What a query would do: its columns, and the bytes that it processes. Code `config` unless it only reads. */
  const dryRun = async (query: TypedQuery, signal: AbortSignal): Promise<Job> => {
    const job = await order(query, { ...(location !== undefined && { location }) }, signal)
    const type = job.statistics.query.statementType
    if (type === 'SELECT') return job
    const message = `BigQuery takes the query for ${type ?? 'something unknown'}, and only SELECT is run`
    throw new VendorError(message, { code: 'config', hint: 'write one SELECT, without a semicolon' })
  }

  /** The rows of a query. `planned`: told the bytes before it runs. */
  async function* rows(
    query: TypedQuery,
    call: ReadCall,
    planned?: (bytes: number) => void,
  ): AsyncGenerator<readonly JsonRow[]> {
    const { jobReference, statistics } = await dryRun(query, call.signal)
    planned?.(Number(statistics.totalBytesProcessed))
    // An id of its own: the request can be sent again, and orders no second job.
    const jobId = `posthaul_${randomUUID()}`
    const { location } = jobReference
    const at = { ...(location !== undefined && { location }) }
    try {
      const { status } = await order(query, { ...at, jobId }, call.signal)
      if (status.errorResult)
        throw bigQueryRefusal(status.errorResult.reason, status.errorResult.message, 400)
    } catch (error) {
      if (!(error instanceof BigQueryError && error.reason === 'duplicate')) throw error
    }
    // BigQuery waits so long for the end of a query before it says that it runs.
    const timeoutMs = String(Math.min(LONGEST_WAIT_MS, Math.floor(api.options.quietMs / 2)))
    yield* pagesOf(api, { path: `${base}/queries/${jobId}`, query: { ...at, timeoutMs }, nulls }, call)
  }

  /** All rows of a query that has few. */
  const all = async (query: TypedQuery, signal: AbortSignal): Promise<readonly JsonRow[]> => {
    const found: JsonRow[] = []
    const nothing = () => undefined
    const call = { signal, columns: nothing, notFinite: nothing, notText: nothing }
    for await (const page of rows(query, call)) found.push(...page)
    return found
  }

  return { dryRun, rows, all }
}
