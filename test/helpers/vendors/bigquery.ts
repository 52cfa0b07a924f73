import { createVerify, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { type Answer, answerTo, type FakeParameter, Refusal, statementTypeOf } from './bigquery-sql.ts'
import { type FakeOptions, FakeVendor, type MischiefKind, type Reply, type Seen } from './fake.ts'

/** A column as the API describes it, by the names of the older SQL. */
export interface FakeField {
  readonly name: string
  readonly type: string
  readonly mode?: 'NULLABLE' | 'REQUIRED' | 'REPEATED'
  readonly fields?: readonly FakeField[]
}

export interface WireCell {
  readonly v: unknown
}

/** A row as the API gives it, its timestamps as microseconds. */
export interface WireRow {
  readonly f: readonly WireCell[]
  /** When it came, in microseconds, for a table that is divided by it. */
  readonly arrived?: string
}

export interface FakeTable {
  readonly fields: readonly FakeField[]
  rows: readonly WireRow[]
  readonly type?: 'TABLE' | 'VIEW'
  /** The column that divides it: only the parts that a condition on it asks for are read. */
  readonly partition?: string
  /** That column is a whole number. */
  readonly isRange?: boolean
  /** How many of the last rows were streamed in just now. */
  readonly streamed?: number
}

/** A refusal in place of an answer. */
export interface FakeFailure {
  /** `METHOD path?query` */
  readonly of: RegExp
  readonly status: number
  readonly reason: string
  readonly message?: string
  times: number
}

export interface FakeBigQueryOptions extends FakeOptions {
  readonly tables: Readonly<Record<string, FakeTable>>
  readonly project?: string
  readonly dataset?: string
  readonly location?: string
  /** The most rows of a page. */
  readonly pageRows?: number
}

const AUDIENCE = 'https://oauth2.googleapis.com/token'
const SCOPES = /^https:\/\/www\.googleapis\.com\/auth\/(?:bigquery|cloud-platform)$/
const EMAIL = 'reader@my-project.iam.gserviceaccount.com'
/** One pair for a whole file: to make it takes a while. */
let pair: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined

interface FakeJob {
  readonly answer: Answer
  /** How often it is asked for before it is done. */
  polls: number
}

/**
 * BigQuery's REST API, written from its reference (v2: jobs, tabledata, tables, datasets), and Google's endpoint for tokens.
 * Nobody has held it against the real one.
 */
export class FakeBigQuery extends FakeVendor {
  readonly tables: Record<string, FakeTable>
  readonly failures: FakeFailure[] = []
  /** Requests that a token is good for. */
  tokenUses = Number.POSITIVE_INFINITY
  /** How many page tokens are refused from now on. */
  expired = 0
  /** Pages of more rows than this are too large. */
  mostRows = Number.POSITIVE_INFINITY
  /** How often a query is asked for before it is done. */
  polls = 1
  /** Members of `access` of the dataset. */
  access: readonly object[] = []
  /** Queries that ran, each with the values of its parameters. */
  readonly ran: string[] = []
  tokensGiven = 0
  modified = 1
  readonly project: string
  readonly dataset: string
  readonly location: string
  readonly #pageRows: number
  readonly #jobs = new Map<string, FakeJob>()
  #uses = 0

  constructor(options: FakeBigQueryOptions) {
    super(options)
    this.tables = { ...options.tables }
    this.project = options.project ?? 'my-project'
    this.dataset = options.dataset ?? 'analytics_1'
    this.location = options.location ?? 'europe-west3'
    this.#pageRows = options.pageRows ?? 1000
  }

  get name(): string {
    return `${this.project}.${this.dataset}`
  }

  /** Writes the file of a service account, whose key this fake knows. */
  keyFile(path: string, more: object = {}): string {
    pair ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
    const key = {
      type: 'service_account',
      project_id: this.project,
      private_key_id: 'k1',
      private_key: pair.privateKey.export({ type: 'pkcs8', format: 'pem' }),
      client_email: EMAIL,
      token_uri: AUDIENCE,
      ...more,
    }
    writeFileSync(path, JSON.stringify(key), { mode: 0o600 })
    return path
  }

  /** Puts rows in the place of those that a table has. */
  replace(table: string, rows: readonly WireRow[]): void {
    this.tables[table] = { ...this.tables[table]!, rows }
    this.modified++
  }

  protected reply(seen: Seen, _struck: MischiefKind | undefined): Reply {
    try {
      const path = decodeURIComponent(seen.url.pathname)
      if (seen.method === 'POST' && path === '/token')
        return json(200, this.#token(new URLSearchParams(seen.body)))
      this.#letIn(seen.authorization)
      const failure = this.failures.find(
        (one) => one.times > 0 && one.of.test(`${seen.method} ${path}${seen.url.search}`),
      )
      if (failure) {
        failure.times--
        throw new Refusal(
          failure.status,
          failure.reason,
          failure.message ?? `the ${failure.reason} of a test`,
        )
      }
      return json(200, this.#answer(seen, path))
    } catch (error) {
      if (error instanceof TokenRefusal) {
        return json(400, { error: 'invalid_grant', error_description: error.message })
      }
      if (!(error instanceof Refusal)) throw error
      const { status: code, reason, message } = error
      return json(code, {
        error: { code, message, errors: [{ message, domain: 'global', reason }], status: 'X' },
      })
    }
  }

  #token(form: URLSearchParams): object {
    const type = form.get('grant_type')
    if (type === 'refresh_token') {
      if (form.get('refresh_token') !== 'refresh-1' || form.get('client_secret') !== 'secret-1') {
        throw new TokenRefusal('Token has been expired or revoked.')
      }
    } else if (
      type !== 'urn:ietf:params:oauth:grant-type:jwt-bearer' ||
      !isSigned(form.get('assertion') ?? '')
    ) {
      throw new TokenRefusal('Invalid JWT Signature.')
    }
    this.#uses = 0
    this.tokensGiven++
    return { access_token: `ya29.token-${this.tokensGiven}`, expires_in: 3599, token_type: 'Bearer' }
  }

  #letIn(authorization: string): void {
    const isLast = authorization === `Bearer ya29.token-${this.tokensGiven}`
    if (!isLast || this.#uses >= this.tokenUses) {
      throw new Refusal(401, 'authError', 'Request had invalid authentication credentials.')
    }
    this.#uses++
  }

  #answer({ method, url, body }: Seen, path: string): object {
    const [, project, rest = ''] = /^\/bigquery\/v2\/projects\/([^/]+)\/(.*)$/.exec(path) ?? []
    const of = `/datasets/${this.dataset}`
    if (method === 'POST' && rest === 'jobs') return this.#insert(JSON.parse(body), project!)
    const [, job] = /^queries\/([^/]+)$/.exec(rest) ?? []
    if (method === 'GET' && job !== undefined) return this.#results(job, url.searchParams)
    if (method !== 'GET' || project !== this.project || !`/${rest}`.startsWith(of)) {
      throw new Refusal(404, 'notFound', `Not found: ${path}`)
    }
    const [tables, table, data] = rest.split('/').slice(2)
    if (tables === undefined) {
      return { kind: 'bigquery#dataset', location: this.location, access: this.access }
    }
    if (table === undefined) return this.#list(url.searchParams)
    const found = this.#table(table)
    return data === 'data' ? this.#data(found, url.searchParams) : this.#described(table, found)
  }

  #table(name: string): FakeTable {
    const found = this.tables[name]
    if (found) return found
    throw new Refusal(404, 'notFound', `Not found: Table ${this.project}:${this.dataset}.${name}`)
  }

  #list(query: URLSearchParams): object {
    const names = Object.keys(this.tables)
    const start = Number(query.get('pageToken') ?? 0)
    const end = start + Math.min(Number(query.get('maxResults') ?? 50), 3)
    return {
      kind: 'bigquery#tableList',
      ...(end < names.length && { nextPageToken: String(end) }),
      tables: names.slice(start, end).map((tableId) => ({
        kind: 'bigquery#table',
        type: this.tables[tableId]!.type ?? 'TABLE',
        tableReference: { projectId: this.project, datasetId: this.dataset, tableId },
      })),
      totalItems: names.length,
    }
  }

  #described(
    tableId: string,
    { fields, rows, type = 'TABLE', partition, isRange, streamed = 0 }: FakeTable,
  ): object {
    const isArrival = partition === '_PARTITIONTIME'
    return {
      kind: 'bigquery#table',
      tableReference: { projectId: this.project, datasetId: this.dataset, tableId },
      schema: { fields },
      ...(type === 'TABLE' && {
        numRows: String(rows.length - streamed),
        numBytes: String(JSON.stringify(rows).length),
      }),
      lastModifiedTime: String(this.modified),
      type,
      ...(partition &&
        !isRange && { timePartitioning: { type: 'DAY', ...(!isArrival && { field: partition }) } }),
      ...(partition && isRange && { rangePartitioning: { field: partition, range: {} } }),
      ...(streamed > 0 && { streamingBuffer: { estimatedRows: String(streamed) } }),
    }
  }

  #data(table: FakeTable, query: URLSearchParams): object {
    if (table.type === 'VIEW') throw new Refusal(400, 'invalid', 'Cannot list a table of type VIEW.')
    return { kind: 'bigquery#tableDataList', etag: 'e', ...this.#page(table, 'table', query) }
  }

  #insert(job: JobBody, project: string): object {
    const { jobReference: at, configuration } = job
    const {
      query,
      useLegacySql,
      parameterMode,
      queryParameters = [],
      maximumBytesBilled,
    } = configuration.query
    if (at.projectId !== project || useLegacySql !== false || parameterMode !== 'NAMED') {
      throw new Refusal(400, 'invalid', 'the job is not one of standard SQL with named parameters')
    }
    if (at.location !== undefined && at.location !== this.location) {
      throw new Refusal(
        404,
        'notFound',
        `Not found: Dataset ${this.project}:${this.dataset} was not found in location ${at.location}`,
      )
    }
    const statementType = statementTypeOf(query)
    const isDry = configuration.dryRun === true
    const answer = statementType === 'SELECT' ? this.#run(query, queryParameters) : undefined
    const described = {
      kind: 'bigquery#job',
      configuration,
      jobReference: { projectId: project, location: this.location, ...(!isDry && { jobId: at.jobId }) },
      status: { state: isDry ? 'DONE' : 'RUNNING' },
      statistics: {
        ...(isDry && { totalBytesProcessed: String(answer?.bytes ?? 0) }),
        query: { statementType, ...(isDry && answer && { schema: { fields: answer.fields } }) },
      },
    }
    if (isDry) return described
    if (!/^[\w-]{1,1024}$/.test(at.jobId ?? '')) throw new Refusal(400, 'invalid', 'Invalid job ID')
    if (this.#jobs.has(at.jobId!))
      throw new Refusal(409, 'duplicate', `Already Exists: Job ${project}:${at.jobId}`)
    if (maximumBytesBilled !== undefined && answer!.bytes > Number(maximumBytesBilled)) {
      throw new Refusal(
        400,
        'bytesBilledLimitExceeded',
        `Query exceeded limit for bytes billed: ${maximumBytesBilled}.`,
      )
    }
    this.ran.push(JSON.stringify([query, ...queryParameters.map((one) => one.parameterValue.value)]))
    this.#jobs.set(at.jobId!, { answer: answer!, polls: this.polls })
    return described
  }

  #run(query: string, parameters: readonly FakeParameter[]): Answer {
    return answerTo(query, { parameters, tables: (name) => this.#tablesFor(name) })
  }

  #tablesFor(name: string): readonly FakeTable[] {
    const short = name.split('.').at(-1)!
    const whole = name.includes('.') ? name : `${this.name}.${name}`
    if (whole !== `${this.name}.${short}` && name !== `${this.dataset}.${short}`) {
      throw new Refusal(404, 'notFound', `Not found: Table ${name}`)
    }
    if (short === '__TABLES__') return [this.#sizes()]
    if (!short.endsWith('*')) return [this.#table(short)]
    const fitting = Object.entries(this.tables).filter(([one]) => one.startsWith(short.slice(0, -1)))
    if (fitting.length === 0) throw new Refusal(400, 'invalidQuery', `${name} does not match any table.`)
    return fitting.map(([, table]) => table)
  }

  #sizes(): FakeTable {
    const fields = [
      { name: 'table_id', type: 'STRING' },
      { name: 'row_count', type: 'INTEGER' },
      { name: 'size_bytes', type: 'INTEGER' },
    ]
    const rows = Object.entries(this.tables).map(([name, { rows }]) => ({
      f: [name, String(rows.length), String(JSON.stringify(rows).length)].map((v) => ({ v })),
    }))
    return { fields, rows }
  }

  #results(jobId: string, query: URLSearchParams): object {
    const job = this.#jobs.get(jobId)
    if (!job || query.get('location') !== this.location) {
      throw new Refusal(404, 'notFound', `Not found: Job ${this.project}:${jobId}`)
    }
    const kind = 'bigquery#getQueryResultsResponse'
    const jobReference = { projectId: this.project, jobId, location: this.location }
    if (job.polls-- > 0) return { kind, jobReference, jobComplete: false }
    const { fields, rows } = job.answer
    const page = this.#page({ fields, rows }, jobId, query)
    return { kind, jobReference, jobComplete: true, schema: { fields }, ...page }
  }

  #page({ fields, rows }: Pick<FakeTable, 'fields' | 'rows'>, of: string, query: URLSearchParams): object {
    const token = query.get('pageToken')
    const [owner, offset] =
      token === null ? [of, 0] : (JSON.parse(Buffer.from(token, 'base64url').toString()) as [string, number])
    if (token !== null && (owner !== of || this.expired > 0)) {
      this.expired--
      throw new Refusal(400, 'invalid', 'Invalid page token')
    }
    const most = Number(query.get('maxResults') ?? this.#pageRows)
    if (most > this.mostRows) throw new Refusal(403, 'responseTooLarge', 'Response too large to return.')
    const end = offset + Math.min(most, this.#pageRows)
    const isWhole = query.get('formatOptions.useInt64Timestamp') === 'true'
    const given = rows
      .slice(offset, end)
      .map(({ f }) => ({ f: f.map((cell, at) => (isWhole ? cell : asFloat(fields[at]!, cell))) }))
    return {
      totalRows: String(rows.length),
      ...(end < rows.length && { pageToken: Buffer.from(JSON.stringify([of, end])).toString('base64url') }),
      ...(given.length > 0 && { rows: given }),
    }
  }
}

interface JobBody {
  readonly jobReference: { readonly projectId: string; readonly jobId?: string; readonly location?: string }
  readonly configuration: {
    readonly dryRun?: boolean
    readonly query: {
      readonly query: string
      readonly useLegacySql?: boolean
      readonly parameterMode?: string
      readonly queryParameters?: readonly FakeParameter[]
      readonly maximumBytesBilled?: string
    }
  }
}

class TokenRefusal extends Error {}

/** Whether an assertion is what Google takes: RS256 by the account's key, for the endpoint, for an hour at most. */
function isSigned(assertion: string): boolean {
  const [head = '', payload = '', signature = ''] = assertion.split('.')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString() || '{}')
  const verify = createVerify('RSA-SHA256').update(`${head}.${payload}`)
  const now = Date.now() / 1000
  return (
    JSON.parse(Buffer.from(head, 'base64url').toString() || '{}').alg === 'RS256' &&
    claims.iss === EMAIL &&
    claims.aud === AUDIENCE &&
    SCOPES.test(claims.scope) &&
    claims.exp - claims.iat <= 3600 &&
    claims.iat <= now + 300 &&
    claims.exp > now &&
    verify.verify(pair!.publicKey, Buffer.from(signature, 'base64url'))
  )
}

/** A timestamp as it comes unless whole numbers are asked for. */
function asFloat({ type }: FakeField, cell: WireCell): WireCell {
  return type === 'TIMESTAMP' && typeof cell.v === 'string'
    ? { v: (Number(cell.v) / 1e6).toExponential() }
    : cell
}

function json(status: number, value: object): Reply {
  const body = JSON.stringify(value, undefined, 2)
  return { status, headers: { 'content-type': 'application/json; charset=UTF-8' }, body }
}
