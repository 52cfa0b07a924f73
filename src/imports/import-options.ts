import { ACCEPT } from '../guards/accept.ts'
import * as datasets from '../options/dataset-rows.ts'
import * as rows from '../options/import-rows.ts'
import { JSON_SUMMARY } from '../options/output-rows.ts'
import { seldom } from '../options/row.ts'
import { INGEST_ROWS, OPTIONAL_API_ROWS } from '../options/service-settings.ts'
import { BIG_INTEGERS, WITH } from '../options/transform-rows.ts'
import { VERIFY } from '../options/verify-rows.ts'

/** The options of `import`. */
export const IMPORT_ROWS = [
  datasets.FILE,
  datasets.DATASET,
  rows.IMPORT_DRY_RUN,
  rows.CHECKPOINT_ROW,
  rows.STATE,
  rows.SINGLE_WRITER,
  rows.RESTART,
  rows.MAX_EVENTS_PER_MINUTE,
  rows.MAX_EVENTS,
  rows.APPROVED,
  seldom(rows.WAIT),
  rows.STEAL_LOCK,
  rows.NEW_MIGRATION,
  rows.REPLACES_KEY,
  rows.STOP_AFTER,
  rows.DRAIN,
  rows.RETRY_FOR,
  ACCEPT,
  rows.TRIAL,
  rows.LANES,
  rows.BATCH_EVENTS,
  seldom(rows.VIA),
  rows.ARRIVAL_WAIT,
  seldom(rows.KEEP_PERSONS),
  seldom({ ...WITH, help: 'switches of the preset posthog, e.g. merge-dangerously; with --file' }),
  BIG_INTEGERS,
  VERIFY,
  JSON_SUMMARY,
  ...INGEST_ROWS,
  ...OPTIONAL_API_ROWS,
] as const
