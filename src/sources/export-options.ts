import { OUT, WORK_DIR } from '../options/dataset-rows.ts'
import { JSON_SUMMARY } from '../options/output-rows.ts'
import { required, type Values } from '../options/row.ts'
import { MS_PER_DAY } from '../text/units.ts'
import * as rows from './export-rows.ts'
import { type Window, windowsOf } from './window.ts'

/** The options that say what is exported and where to. Every export lists them first. */
export const WHAT_ROWS = [
  required(rows.FROM),
  rows.TO,
  { ...required(OUT), help: 'where the raw dataset is written: a folder or s3://bucket/prefix' },
] as const

export const WHETHER_ROWS = [rows.EXPORT_DRY_RUN, rows.REFETCH, rows.NO_RECONCILE] as const

/** The options that say how it is fetched. Every export lists them last. */
export const HOW_ROWS = [rows.EXPORT_RETRY_FOR, rows.TIMEOUT, WORK_DIR, JSON_SUMMARY, rows.BASE_URL] as const

/** The options of every export that a migration file takes. */
export const SHARED_ROWS = [
  rows.NO_RECONCILE,
  rows.REQUESTS_PER_HOUR,
  rows.CONCURRENCY,
  rows.EXPORT_RETRY_FOR,
  rows.TIMEOUT,
  rows.BASE_URL,
] as const

/** The values of the options that all exports share. */
export type ExportValues = Values<
  readonly [
    (typeof WHAT_ROWS)[0],
    typeof rows.TO,
    (typeof WHAT_ROWS)[2],
    typeof rows.EXPORT_DRY_RUN,
    typeof rows.REFETCH,
    ...typeof HOW_ROWS,
  ]
> &
  Partial<Values<readonly [typeof rows.NO_RECONCILE, typeof rows.CONCURRENCY]>>

/** The windows that were asked for. `exportable`: the end of what the vendor can export by now (epoch milliseconds). */
export function windowsFrom(
  { from, to }: { readonly from: number; readonly to: number | undefined },
  spanMs: number,
  exportable: number,
): Window[] {
  const now = Date.now()
  // Today is not over, so it is exported only if --to asks for it.
  return windowsOf(
    from,
    to ?? Math.min(now - (now % MS_PER_DAY), exportable - (exportable % spanMs)),
    spanMs,
    exportable,
  )
}
