import { exportRows as rows } from '../../options/index.ts'
import { number } from '../../text/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'

/** The limits of the query endpoint. */
export const POSTHOG_LIMITS = { perHour: 2400, perMinute: 240 } as const

const KINDS = [rows.EXPORT_VIA, rows.DOWNLOAD_FORMAT, rows.PERSONS, rows.GROUPS] as const

/** Those that a migration file takes besides those of every export. */
export const POSTHOG_SETTINGS = [...KINDS, rows.WINDOW] as const

/** The options of `export posthog`, in the order of its help. */
export const POSTHOG_ROWS = [
  ...WHAT_ROWS,
  ...KINDS,
  {
    ...rows.WINDOW,
    default: '24h',
    help: "length of a query's window, 1h to 24h; split if it has too many events",
  },
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: number(POSTHOG_LIMITS.perHour) },
  // The service takes at most three queries at once. One is left for the project's own people.
  { ...rows.CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const
