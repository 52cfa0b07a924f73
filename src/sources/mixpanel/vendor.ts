import { exportRows as rows } from '../../options/index.ts'
import { number } from '../../text/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { vendorSource } from '../vendor-source.ts'

/**
 * Mixpanel's quotas: 60 requests an hour and 3 a second. The limiter's spans are a little longer than these, because
 * requests do not arrive at the pace at which they are sent.
 */
export const MIXPANEL_LIMITS = { perHour: 60, perSecond: 3 } as const

/** Those that a migration file takes besides those of every export. */
export const MIXPANEL_SETTINGS = [
  rows.MIXPANEL_REGION,
  rows.EVENT,
  rows.PROFILES,
  rows.GROUP_PROFILES,
] as const

/** The options of `export mixpanel`, in the order of its help. */
export const MIXPANEL_ROWS = [
  ...WHAT_ROWS,
  ...MIXPANEL_SETTINGS,
  ...WHETHER_ROWS,
  { ...rows.REQUESTS_PER_HOUR, default: number(MIXPANEL_LIMITS.perHour) },
  rows.CONCURRENCY,
  ...HOW_ROWS,
] as const

export const mixpanelVendor = vendorSource({
  name: 'mixpanel',
  description: 'raw events by day; profiles',
  help: `
Credentials: MIXPANEL_PROJECT_ID with MIXPANEL_SERVICE_ACCOUNT and
MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET; each from the environment, or
from the file that <name>_FILE names. Days are those of the project: UTC, or its
own time zone if it was made before 2023.`,
  credentials: 'MIXPANEL_SERVICE_ACCOUNT with MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  signs: ['MIXPANEL_SERVICE_ACCOUNT', 'MIXPANEL_API_SECRET'],
  rows: MIXPANEL_ROWS,
  settings: MIXPANEL_SETTINGS,
  variables: { project_id: ['MIXPANEL_PROJECT_ID', 'the project that is exported'] },
  firstLines: ['# project_id: 1234567', '# region: eu', '# profiles: true'],
  load: async () => (await import('./work.ts')).mixpanelWork,
})
