import { required, exportRows as rows } from '../../options/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { vendorSource } from '../vendor-source.ts'

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

export const matomoVendor = vendorSource({
  name: 'matomo',
  description: 'visits with their actions by day',
  help: `
Credentials: MATOMO_TOKEN, the token of a user who may view the site; from the
environment, or from the file that MATOMO_TOKEN_FILE names. Days are those of
the site's time zone, and only days that are over there can be exported.`,
  credentials: 'MATOMO_TOKEN',
  signs: ['MATOMO_TOKEN'],
  rows: MATOMO_ROWS,
  settings: MATOMO_SETTINGS,
  variables: {},
  firstLines: [
    '# the address of your Matomo, and the number of the site',
    'url: https://matomo.example.com',
    'site: 1',
  ],
  load: async () => (await import('./work.ts')).matomoWork,
})
