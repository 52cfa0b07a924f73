import { PosthaulError } from '../../errors.ts'
import { ACCEPT } from '../../guards/guards.ts'
import type { Io } from '../../io.ts'
import { isQueryable } from '../../mapping/constant-properties.ts'
import { readSecret } from '../../options/read-secret.ts'
import { required, type Values } from '../../options/row.ts'
import * as datasets from '../../options/rows/dataset-rows.ts'
import { STATE } from '../../options/rows/import-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import * as rows from '../../options/rows/transform-rows.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { HASH_KEY } from '../../transform/hash-key.ts'
import type { TransformRequest } from '../../transform/make-job.ts'
import { EVENT_ROWS, joinAt, PRESET_ROW } from '../event-rows.ts'

/** Imports that keep their state elsewhere are found there. */
const STATE_OF_IMPORT = {
  ...STATE,
  otherwise: 'beside the dataset',
  help: 'where imports of the dataset keep their state: what was sent is not made anew by other rules',
} as const

/** What becomes of the records: options of whatever makes events of them, here or on many machines. */
const RULE_ROWS = [
  ...EVENT_ROWS,
  rows.AFTER,
  rows.IMPORT_ID_OR_NONE,
  STATE_OF_IMPORT,
  rows.MAX_REJECT_RATIO,
  datasets.GZIP_OUTPUT,
] as const

/** The options of `transform`. */
export const TRANSFORM_ROWS = [
  PRESET_ROW,
  required(datasets.IN),
  { ...datasets.OUT, help: `${datasets.OUT.help}; not needed with --dry-run` },
  rows.MAP,
  rows.TRANSFORM_DRY_RUN,
  rows.TRANSFORM_SAMPLE,
  ...RULE_ROWS,
  ACCEPT,
  rows.TRIAL_PEOPLE,
  rows.TRIAL_DAYS,
  rows.WORKERS,
  datasets.WORK_DIR,
  GROUP_READABLE,
  JSON_SUMMARY,
  datasets.ENDPOINT,
] as const

export type TransformValues = Values<typeof TRANSFORM_ROWS>

/** What is asked for, with the addresses of buckets whole. */
export function requestOf(
  values: Omit<TransformValues, 'sample' | 'accept' | 'workers' | 'workDir'>,
  io: Pick<Io, 'env' | 'stdin'>,
): TransformRequest {
  const { importId, out, endpoint } = values
  if (importId && !isQueryable(importId)) {
    throw new PosthaulError('--import-id has a quote, a backslash or a control character', {
      code: 'usage',
      hint: 'verify could not find its events: give a plain name, such as migration-2024',
    })
  }
  return {
    ...values,
    in: values.in.map((place) => withEndpoint(place, endpoint)),
    join: values.join.map((text) => joinAt(text, endpoint)),
    after: values.after.map((place) => withEndpoint(place, endpoint)),
    out: out === undefined ? undefined : withEndpoint(out, endpoint),
    hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
  }
}
