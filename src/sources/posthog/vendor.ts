import { exportRows as rows } from '../../options/index.ts'
import { number } from '../../text/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { vendorSource } from '../vendor-source.ts'

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

export const posthogVendor = vendorSource({
  name: 'posthog',
  description: 'events of another region or installation',
  help: `
Set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY (a
personal key with query:read, for --groups group:read too), or
POSTHOG_SOURCE_API_KEY_FILE. --via downloads and auto need the scopes
batch_export:write and batch_export:read besides; for a large project they are
faster, and the rows may count as exported rows of its plan.`,
  credentials: 'POSTHOG_SOURCE_API_KEY',
  signs: ['POSTHOG_SOURCE_API_KEY'],
  rows: POSTHOG_ROWS,
  settings: POSTHOG_SETTINGS,
  variables: {
    host: ['POSTHOG_SOURCE_HOST', 'address of the installation that is exported'],
    project_id: ['POSTHOG_SOURCE_PROJECT_ID', 'the project that is exported'],
  },
  firstLines: [
    '# the project that is exported',
    'host: https://us.posthog.com',
    'project_id: 1',
    '# persons: true',
    '# groups: true',
  ],
  load: async () => (await import('./work.ts')).posthogWork,
})
