import { exportRows, required, row, wholeNumber } from '../../options/index.ts'
import { SQL_FIRST_LINES, SQL_SETTINGS, sqlVendor } from '../sql/sql-rows.ts'
import { datasetIn } from './bigquery-dataset.ts'

const DATASET_ROW = row({
  flag: '--dataset <project.dataset>',
  parse: (text) => datasetIn(text),
  help: 'dataset of the tables, such as my-project.analytics_123456',
})

const LOCATION = row({
  flag: '--location <name>',
  otherwise: "the dataset's",
  help: 'where queries run, such as europe-west3',
})

const MAX_BYTES_BILLED = row({
  flag: '--max-bytes-billed <n>',
  parse: wholeNumber(1),
  otherwise: 'as many as it takes',
  help: 'a query that would be billed for more bytes fails, and costs nothing',
})

const TABLES = sqlVendor({
  name: 'bigquery',
  description: 'tables of BigQuery, such as the export of Google Analytics 4',
  help: `
Credentials: GOOGLE_APPLICATION_CREDENTIALS names the file of a service account;
without it those that gcloud or the machine has by default. A table that is read
whole is listed, which costs nothing. All else is a query; queries are paid by
GOOGLE_CLOUD_PROJECT, or else by the project of the dataset.`,
  credentials: 'GOOGLE_APPLICATION_CREDENTIALS',
  signs: ['GOOGLE_APPLICATION_CREDENTIALS'],
  own: [required(DATASET_ROW), LOCATION, MAX_BYTES_BILLED, exportRows.BASE_URL],
})

export const bigqueryVendor = {
  ...TABLES,
  settings: [DATASET_ROW, LOCATION, MAX_BYTES_BILLED, ...SQL_SETTINGS],
  firstLines: ['# the project and the dataset', 'dataset: my-project.analytics_123456', ...SQL_FIRST_LINES],
}
