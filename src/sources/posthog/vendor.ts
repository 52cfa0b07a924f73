import { row } from '../../options/row.ts'
import { number } from '../../text/words.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from '../export-rows.ts'
import type { VendorRow } from '../vendor-source.ts'

/** The limits of the query endpoint. */
export const POSTHOG_LIMITS = { perHour: 2400, perMinute: 240 } as const

const KINDS = [
  row({
    flag: '--via <way>',
    choices: ['query', 'downloads'],
    default: 'query',
    help: 'by the query endpoint, or by file downloads',
  }),
  row({ flag: '--persons', help: 'persons too, as $set events' }),
  row({
    flag: '--accept <code...>',
    choices: ['hidden_events'],
    help: 'go on although the project hides events of these days by its retention',
  }),
  row({ flag: '--groups', help: 'groups too, which transform turns into group events' }),
] as const

/** The options of `export posthog`, in the order of its help. */
export const POSTHOG_ROWS = [
  ...WHAT_ROWS,
  ...KINDS,
  {
    ...WINDOW,
    default: '24h',
    help: "length of a query's window, 1h to 24h; split if it has too many events",
  },
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, default: number(POSTHOG_LIMITS.perHour) },
  // The service takes at most three queries at once. One is left for the project's own people.
  { ...CONCURRENCY, default: '2' },
  ...HOW_ROWS,
] as const

export const posthogVendor = {
  name: 'posthog',
  description: 'events of another region or installation',
  help: `
Set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY (a
personal key with query:read, for --groups group:read too), or
POSTHOG_SOURCE_API_KEY_FILE. --via downloads needs the scopes
batch_export:write and batch_export:read besides; for a large project it is
faster, and the rows may count as exported rows of its plan.`,
  credentials: 'POSTHOG_SOURCE_API_KEY',
  signs: ['POSTHOG_SOURCE_API_KEY'],
  rows: POSTHOG_ROWS,
  settings: [...KINDS, WINDOW],
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
} as const satisfies VendorRow
