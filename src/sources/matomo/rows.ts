import { required, exportRows as rows } from '../../options/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'

/** Those that a migration file takes besides those of every export. */
export const MATOMO_SETTINGS = [rows.MATOMO_URL, rows.MATOMO_SITE] as const

/** The options of `export matomo`, in the order of its help. */
export const MATOMO_ROWS = [
  ...WHAT_ROWS,
  required(rows.MATOMO_URL),
  required(rows.MATOMO_SITE),
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: '3600' },
  { ...rows.CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const
