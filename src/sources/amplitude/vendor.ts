import { vendorSource } from '../vendor-source.ts'
import { AMPLITUDE_ROWS, AMPLITUDE_SETTINGS } from './rows.ts'

export const amplitudeVendor = vendorSource({
  name: 'amplitude',
  description: 'events by the hour they reached Amplitude',
  help: `
Credentials: AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY, each from the
environment, or from the file that <name>_FILE names. Windows follow
server_upload_time, in UTC. An hour can be exported two hours after its end.`,
  credentials: 'AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY',
  signs: ['AMPLITUDE_API_KEY', 'AMPLITUDE_SECRET_KEY'],
  rows: AMPLITUDE_ROWS,
  settings: AMPLITUDE_SETTINGS,
  variables: {},
  firstLines: ['# region: eu'],
  load: async () => (await import('./work.ts')).amplitudeWork,
})
