import { vendorSource } from '../vendor-source.ts'
import { MATOMO_ROWS, MATOMO_SETTINGS } from './rows.ts'

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
