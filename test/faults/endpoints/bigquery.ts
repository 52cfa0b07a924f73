import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { retrying } from '../../../src/http/retry.ts'
import { BigQueryApi } from '../../../src/sources/bigquery/bigquery-api.ts'
import { bigQueryDatabase } from '../../../src/sources/bigquery/bigquery-database.ts'
import { googleTokens } from '../../../src/sources/bigquery/google-tokens.ts'
import type { Database, ReadCall, Relation, Slice } from '../../../src/sources/sql/database.ts'
import { patience } from '../../helpers/patience.ts'
import type { Answer } from '../kit/action.ts'
import type { Received } from '../kit/received.ts'
import { type Asking, type Endpoint, json, KEY, RETRY_FOR_MS } from './endpoint.ts'

const QUIET_MS = patience(150)
const RELATION: Relation = { kind: 'table', schema: undefined, name: 'events' }
const WHOLE: Slice = { relation: RELATION, where: { by: 'all', order: undefined }, only: [] }
const SELECTED: Slice = {
  relation: { kind: 'query', name: 'q', text: 'SELECT 1' },
  where: WHOLE.where,
  only: [],
}
const SCHEMA = { fields: [{ name: 'city', type: 'STRING', mode: 'REQUIRED' }] }
const PAGE = { totalRows: '1', rows: [{ f: [{ v: 'Zürich' }] }] }
const JOB = {
  kind: 'bigquery#job',
  jobReference: { projectId: 'p', location: 'EU' },
  status: { state: 'DONE' },
  statistics: { totalBytesProcessed: '7', query: { statementType: 'SELECT', schema: SCHEMA } },
}
const RIGHT: readonly (readonly [RegExp, unknown])[] = [
  [/\/data\?/, { kind: 'bigquery#tableDataList', ...PAGE }],
  [/\/queries\//, { kind: 'bigquery#getQueryResultsResponse', jobComplete: true, schema: SCHEMA, ...PAGE }],
  [/\/jobs$/, JOB],
  [
    /\/tables\/events$/,
    { kind: 'bigquery#table', type: 'TABLE', numRows: '1', numBytes: '7', schema: SCHEMA },
  ],
  [
    /\/tables\?/,
    { kind: 'bigquery#tableList', tables: [{ type: 'VIEW', tableReference: { tableId: 'Zürich' } }] },
  ],
  [/\/datasets\/d$/, { kind: 'bigquery#dataset', location: 'EU' }],
  [/^\/token$/, { access_token: 'ya29.Zuerich', expires_in: 3599, token_type: 'Bearer' }],
]

function right({ path }: Received): Answer {
  return json(RIGHT.find(([of]) => of.test(path))?.[1] ?? {})
}

/** An endpoint of BigQuery, asked as an export does. */
function bigquery(
  name: string,
  struck: RegExp,
  ask: (database: Database, asking: Asking) => Promise<unknown>,
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    name: `BigQuery: ${name}`,
    struck,
    proof: 'value',
    client: 'vendor',
    right,
    ask: async (asking) => {
      const { origin, clock } = asking
      const retry = { retryForMs: RETRY_FOR_MS, clock, random: () => 0.5 }
      const headers = { authorization: `Bearer ${KEY.reveal()}` }
      const tokens = { headers: async () => ({ headers, secrets: [KEY] }), drop: () => undefined }
      const api = new BigQueryApi({ tokens, origin, quietMs: QUIET_MS, retry })
      const database = bigQueryDatabase(api, {
        ...{
          dataset: { project: 'p', name: 'd' },
          project: 'p',
          location: undefined,
          maxBytesBilled: undefined,
        },
        ...{ nulls: false, owner: async () => undefined, note: () => undefined },
      })
      try {
        return await ask(database, asking)
      } finally {
        await database.close()
      }
    },
    ...more,
  }
}

/** Rows, their names, and the counts that they are held against. */
async function rowsOf(database: Database, slice: Slice, { signal }: Asking): Promise<unknown> {
  const said: unknown[] = []
  const call: ReadCall = {
    signal,
    columns: (names) => void said.push(names),
    counted: (count) => void said.push(count),
    notFinite: () => undefined,
    notText: () => undefined,
  }
  for await (const rows of database.read(slice, call)) said.push(rows)
  return said
}

/** A token that was let in before is renewed once. */
const RENEWED: Partial<Endpoint> = { ends: /^401: again, 4$/ }

/** What BigQuery is asked, and Google for a token. */
export const BIGQUERY_ENDPOINTS: readonly Endpoint[] = [
  bigquery(
    'a dataset',
    /^GET .*\/datasets\/d$/,
    async (database, { signal }) => (await database.info(signal)).about,
  ),
  bigquery(
    'a list of tables',
    /^GET .*\/tables\?/,
    (database, { signal }) => database.tables(undefined, signal),
    {
      nothing: [[]],
    },
  ),
  bigquery(
    'a table',
    /^GET .*\/tables\/events$/,
    (database, { signal }) => database.columns(RELATION, signal),
    {
      nothing: [[]],
    },
  ),
  bigquery(
    'rows of a table',
    /^GET .*\/data\?/,
    (database, asking) => rowsOf(database, WHOLE, asking),
    RENEWED,
  ),
  bigquery(
    'a job',
    /^POST .*\/jobs$/,
    async (database, { signal }) => (await database.plan(SELECTED, signal)).text,
  ),
  bigquery(
    'rows of a query',
    /^GET .*\/queries\//,
    (database, asking) => rowsOf(database, SELECTED, asking),
    RENEWED,
  ),
  bigquery(
    'a token',
    /^POST \/token$/,
    async (_, { origin, folder, clock, signal }) => {
      const path = join(folder, 'user.json')
      const secrets = { client_secret: 'answers-secret', refresh_token: 'answers-token' }
      writeFileSync(path, JSON.stringify({ type: 'authorized_user', client_id: 'i', ...secrets }), {
        mode: 0o600,
      })
      const place = { baseUrl: origin, project: 'p', timeoutMs: QUIET_MS }
      const tokens = await googleTokens({ env: { GOOGLE_APPLICATION_CREDENTIALS: path } }, place)
      const retry = { retryForMs: RETRY_FOR_MS, clock, random: () => 0.5, signal }
      return (await retrying(() => tokens.headers(), retry)).headers.authorization
    },
    // What a token is, only Google can tell.
    { believes: /^names twice, the other value last$/ },
  ),
]
