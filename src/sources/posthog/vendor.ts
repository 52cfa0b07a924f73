import { vendorSource } from '../vendor-source.ts'
import { POSTHOG_ROWS, POSTHOG_SETTINGS } from './rows.ts'

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
