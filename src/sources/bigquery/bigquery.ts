import { systemClock } from '../../http/index.ts'
import type { Values } from '../../options/index.ts'
import { span } from '../../text/index.ts'
import { sqlWork } from '../sql/sql-work.ts'
import { BigQueryApi } from './bigquery-api.ts'
import { bigQueryDatabase } from './bigquery-database.ts'
import { datasetName } from './bigquery-dataset.ts'
import { googleTokens } from './google-tokens.ts'
import { bigqueryVendor } from './vendor.ts'

const ORIGIN = 'https://bigquery.googleapis.com'

/** Tables of BigQuery. */
export const bigqueryWork = sqlWork<Values<typeof bigqueryVendor.rows>>({
  ...bigqueryVendor,
  schemaOf: ({ dataset }) => datasetName(dataset),
  async connect({ dataset, location, maxBytesBilled, nulls, baseUrl, timeout, retryFor }, from) {
    const { env, note = () => undefined } = from
    const project = env.GOOGLE_CLOUD_PROJECT ?? dataset.project
    const tokens = await googleTokens(from, { project, baseUrl, timeoutMs: timeout })
    const retry = {
      ...{ retryForMs: retryFor, clock: systemClock, random: Math.random },
      onRetry: (error: Error, waitMs: number) => note(`${error.message}; asked again in ${span(waitMs)}`),
    }
    const api = new BigQueryApi({ tokens, origin: baseUrl ?? ORIGIN, quietMs: timeout, retry })
    const options = { dataset, project, location, maxBytesBilled, nulls: nulls === 'keep', note }
    return bigQueryDatabase(api, { ...options, owner: tokens.owner })
  },
})
