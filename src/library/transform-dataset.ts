import type { TransformResult } from '../commands/transform/result.ts'
import { run } from '../commands/transform/run.ts'
import { TRANSFORM_ROWS } from '../commands/transform-options.ts'
import { type CallOptions, hostOf, lastOf } from '../host.ts'
import { givenOptions } from '../options/given.ts'

/** How files become a dataset. Each is the option of `posthaul transform` of that name, with its default. */
export interface TransformDatasetOptions extends CallOptions {
  /** Files, folders, globs, `s3://…`. */
  readonly in: string | readonly string[]
  /** The folder of the dataset, or `s3://bucket/prefix`. */
  readonly out: string
  /** A name such as `mixpanel`, or the path of a file. Default: as the mapping file says. */
  readonly preset?: string | undefined
  /** The path of a mapping file. */
  readonly map?: string | undefined
  readonly sourceTimezone?: string | undefined
  readonly groupType?: string | undefined
  readonly personProperties?: 'set' | 'set_once' | 'drop' | undefined
  readonly bigIntegers?: 'keep' | 'string' | undefined
  readonly with?: readonly string[] | undefined
  readonly join?: readonly string[] | undefined
  /** Datasets of earlier windows: what they have is left out, and counted as `earlier`. */
  readonly after?: readonly string[] | undefined
  /** The value of `$import_job_id`; `none` for none. */
  readonly importId?: string | undefined
  /** Codes of findings with which it goes on, such as `repeated_ids`: docs/findings.md. */
  readonly accept?: readonly string[] | undefined
  /** More rejects among the first 10,000 records end it before anything is written: 0.5 is half of them. */
  readonly maxRejectRatio?: number | undefined
  readonly gzip?: boolean | undefined
  readonly workers?: number | undefined
  readonly workDir?: string | undefined
}

/**
 * Makes a dataset of files, by the code of `posthaul transform`: sorted, without duplicates, resumable, its rejects in
 * `rejects.ndjson`. Answers as `posthaul transform --json`. Rejects with a PosthaulError; the same call goes on.
 */
export async function transformDataset(options: TransformDatasetOptions): Promise<TransformResult> {
  const { signal, onMessage, env, ...rows } = options
  const inputs = [options.in].flat()
  const host = hostOf({ signal, onMessage, env }, ['transform', '--in', ...inputs, '--out', options.out])
  const { values } = givenOptions(TRANSFORM_ROWS, rows, env && { env })
  return host.drain.within(lastOf(run({ values }, host)))
}
