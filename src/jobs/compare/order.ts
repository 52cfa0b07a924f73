import { PosthaulError } from '../../errors.ts'
import {
  API_ROWS,
  CHECKPOINT_ROW,
  COMPARE_WITH,
  ENDPOINT,
  exportRows,
  HTML,
  IN,
  JSON_SUMMARY,
  LIST_REPORTS,
  MAP,
  type Options,
  QUESTIONS,
  SINCE_CUTOVER,
  STATE,
  TOLERANCE,
  type Values,
  VENDOR_REGION,
  VENDOR_ZONE,
  WORK_DIR,
} from '../../options/index.ts'
import { isS3, withEndpoint } from '../../store/index.ts'
import { DATASET_OPTION } from '../dataset-argument.ts'
import { statePlace } from '../import-state/state-place.ts'
import type { Tolerance } from './compare-json.ts'

/** The options of `compare`. */
export const COMPARE_ROWS = [
  COMPARE_WITH,
  QUESTIONS,
  DATASET_OPTION,
  { ...MAP, help: 'the mapping file that transform was given' },
  {
    ...IN,
    bare: false,
    otherwise: 'as the dataset names them',
    help: 'the raw records that the dataset was made of: files, folders, globs, s3://…',
  },
  SINCE_CUTOVER,
  TOLERANCE,
  VENDOR_ZONE,
  VENDOR_REGION,
  LIST_REPORTS,
  { ...exportRows.REFETCH, help: 'ask again what has been answered' },
  HTML,
  JSON_SUMMARY,
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  { ...exportRows.BASE_URL, help: "another address for the vendor's requests, such as a proxy" },
  exportRows.EXPORT_RETRY_FOR,
  exportRows.TIMEOUT,
  { ...WORK_DIR, help: 'where work files are kept while it runs' },
  ENDPOINT,
  ...API_ROWS,
] as const

export type CompareValues = Values<typeof COMPARE_ROWS>
export type CompareOptions = Options<CompareValues>

/** What is compared, and how. */
export type CompareOrder = ReturnType<typeof compareOrder>

/** What may stay unexplained where the user says nothing: vendors estimate people, and nobody estimates events. */
const USUAL: Tolerance = { events: 0, people: 0.01 }

/** Reads what is to be compared. Opens no file. Code `usage` for options that do not go together. */
export function compareOrder(
  names: readonly string[],
  values: CompareValues,
  env: Parameters<typeof statePlace>[1],
) {
  const { endpoint, tolerance, with: vendor } = values
  const needing = [
    ['--list-reports', values.listReports],
    ['--since-cutover', values.sinceCutover],
    ['--vendor-zone', values.vendorZone],
  ].find(([, value]) => value)
  if (vendor === undefined && needing) {
    throw new PosthaulError(`${needing[0]} needs --with`, {
      code: 'usage',
      hint: 'say whose numbers are asked, such as --with mixpanel',
    })
  }
  return {
    /** As they were typed. */
    names,
    /** Places of datasets, with their endpoints. */
    datasets: names.map((name) => (isS3(name) ? withEndpoint(name, endpoint) : name)),
    vendor:
      vendor === undefined ? undefined : { vendor, region: values.vendorRegion, baseUrl: values.baseUrl },
    questions: values.questions,
    mapping: values.map,
    /** Paths of raw records; empty for those that the manifests name. */
    inputs: values.in,
    sinceCutover: values.sinceCutover,
    tolerance: tolerance === undefined ? USUAL : { events: tolerance, people: tolerance },
    vendorZone: values.vendorZone,
    refetch: values.refetch,
    place: statePlace({ ...values, input: names[0]! }, env),
    workDir: values.workDir,
    retryForMs: values.retryFor,
    quietMs: values.timeout,
  }
}
