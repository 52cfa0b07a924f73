import { systemClock } from '../../http/index.ts'
import type { Values } from '../../options/index.ts'
import { span } from '../../text/index.ts'
import type { SqlEngine } from '../sql/sql-engine.ts'
import { sqlWork } from '../sql/sql-work.ts'
import type { VendorWork } from '../vendor-source.ts'
import { BigQueryApi } from './bigquery-api.ts'
import { BigQuery } from './bigquery-database.ts'
import { datasetName } from './bigquery-dataset.ts'
import { GoogleTokens } from './google-tokens.ts'
import { BIGQUERY_ROWS } from './vendor.ts'

type BigQueryValues = Values<typeof BIGQUERY_ROWS>

const ORIGIN = 'https://bigquery.googleapis.com'

/** Tables of BigQuery. `note`: told what queries process, and what is asked again. */
function engineOf(note: (text: string) => void): SqlEngine<BigQueryValues> {
  return {
    name: 'bigquery',
    rows: BIGQUERY_ROWS,
    schemaOf: ({ dataset }) => datasetName(dataset),
    async connect({ dataset, location, maxBytesBilled, nulls, baseUrl, timeout, retryFor }, from) {
      const project = from.env.GOOGLE_CLOUD_PROJECT ?? dataset.project
      const tokens = await GoogleTokens.open(from, { project, baseUrl, timeoutMs: timeout })
      const retry = {
        ...{ retryForMs: retryFor, clock: systemClock, random: Math.random },
        onRetry: (error: Error, waitMs: number) => note(`${error.message}; asked again in ${span(waitMs)}`),
      }
      const api = new BigQueryApi({ tokens, origin: baseUrl ?? ORIGIN, quietMs: timeout, retry })
      const options = { dataset, project, location, maxBytesBilled, nulls: nulls === 'keep', note }
      return new BigQuery(api, { ...options, owner: () => tokens.owner() })
    },
  }
}

export const bigqueryWork: VendorWork<BigQueryValues> = {
  ...sqlWork(engineOf(() => undefined)),
  order: (values, world) => sqlWork(engineOf((text) => world.note(text))).order(values, world),
}
