import { vendorSource } from '../vendor-source.ts'
import { MIXPANEL_ROWS, MIXPANEL_SETTINGS } from './rows.ts'

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
