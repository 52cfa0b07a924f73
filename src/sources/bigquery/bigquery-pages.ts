import type { JsonRow, ReadCall } from '../sql/database.ts'
import { cutShort } from '../vendor-client.ts'
import { type BigQueryApi, BigQueryError } from './bigquery-api.ts'
import { BIGQUERY_FIELDS, type BigQueryField, rowJson } from './bigquery-cells.ts'

/** Rows that are given in pages. */
export interface RowPaging {
  /** After `/bigquery/v2/`, without its query. */
  readonly path: string
  readonly query?: Readonly<Record<string, string>>
  /** The columns, where the answers don't say them. */
  readonly fields?: readonly BigQueryField[]
  /** Whether NULL within a record is written. */
  readonly nulls: boolean
}

interface Page {
  readonly fields: readonly BigQueryField[]
  readonly rows: readonly JsonRow[]
  readonly total: number
  readonly next: string | undefined
  /** The columns of values that JSON has no number for. */
  readonly lost: readonly string[]
}

/** Rows in a page to begin with. BigQuery gives fewer, where they are more than 10 MB. */
const MOST_ROWS = 10_000
const POLL_MS = 250
/** What is said of a page after the first, where the answer to a query is kept no longer: its token, or its table, is gone. */
const GONE = /^(?:invalid|notFound|expired)/

/** All rows, a page after the other. Throws an error with the fate `retry` where they can only be read again from the start. */
export async function* pagesOf(
  api: BigQueryApi,
  paging: RowPaging,
  call: ReadCall,
): AsyncGenerator<readonly JsonRow[]> {
  let most = MOST_ROWS
  let token: string | undefined
  for (let given = 0; ; ) {
    const query = new URLSearchParams({
      ...paging.query,
      ...{ 'formatOptions.useInt64Timestamp': 'true', maxResults: String(most) },
      ...(token !== undefined && { pageToken: token }),
    })
    let page: Page | undefined
    try {
      const read = (text: string) => pageIn(text, paging)
      page = await api.ask({ path: `${paging.path}?${query}`, read }, call.signal)
    } catch (error) {
      if (!(error instanceof BigQueryError)) throw error
      if (error.reason === 'responseTooLarge' && most > 1) most = Math.ceil(most / 2)
      else if (token !== undefined && GONE.test(error.reason)) throw cutShort(error.message, error)
      else throw error
      continue
    }
    if (page === undefined) {
      await api.options.retry.clock.sleep(POLL_MS, call.signal)
      continue
    }
    if (token === undefined) {
      call.columns(page.fields.map(({ name }) => name))
      call.counted?.(page.total)
    }
    for (const column of page.lost) call.notFinite(column)
    given += page.rows.length
    yield page.rows
    if (page.next === undefined) return
    if (given >= page.total || page.next === token)
      throw cutShort('BigQuery gives more pages than it has rows')
    token = page.next
  }
}

/** Undefined while the query runs. Throws for what is not a page. */
function pageIn(text: string, { fields, nulls }: RowPaging): Page | undefined {
  const answer = JSON.parse(text)
  const isList = fields !== undefined
  if (answer.kind !== (isList ? 'bigquery#tableDataList' : 'bigquery#getQueryResultsResponse')) {
    throw new TypeError('not a page')
  }
  if (!isList && answer.jobComplete === false) return undefined
  const { rows = [], totalRows, pageToken } = answer
  const known = fields ?? BIGQUERY_FIELDS.parse(answer.schema?.fields)
  if (!/^\d+$/.test(totalRows) || !Array.isArray(rows)) throw new TypeError('no rows')
  const lost: string[] = []
  const options = { nulls, notFinite: (column: string) => void lost.push(column) }
  return {
    fields: known,
    rows: rows.map((row) => rowJson(known, row, options)),
    total: Number(totalRows),
    // An empty one is no token.
    next: pageToken || undefined,
    lost,
  }
}
