import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { isQueryable } from '../mapping/constant-properties.ts'
import { readSecret } from '../options/read-secret.ts'
import { HASH_KEY } from '../transform/hash-key.ts'
import type { TransformRequest } from '../transform/make-job.ts'
import type { TransformValues } from './transform-options.ts'

/** What is asked for, with the addresses of buckets whole. */
export function requestOf(
  values: Omit<TransformValues, 'sample' | 'accept' | 'workers' | 'workDir'>,
  io: Pick<Io, 'env' | 'stdin'>,
): TransformRequest {
  const { importId, out } = values
  if (importId && !isQueryable(importId)) {
    throw new PosthaulError('--import-id has a quote, a backslash or a control character', {
      code: 'usage',
      hint: 'verify could not find its events: give a plain name, such as migration-2024',
    })
  }
  return {
    ...values,
    in: values.in,
    join: values.join,
    after: values.after,
    out,
    hashKey: () => readSecret({ variable: HASH_KEY }, io.env, io.stdin),
  }
}
