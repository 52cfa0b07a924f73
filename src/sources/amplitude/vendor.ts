import { AMPLITUDE_REGION, CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from '../../options/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { vendorSource } from '../vendor-source.ts'

/** Those that a migration file takes besides those of every export. */
export const AMPLITUDE_SETTINGS = [AMPLITUDE_REGION, WINDOW] as const

/** The options of `export amplitude`, in the order of its help. */
export const AMPLITUDE_ROWS = [
  ...WHAT_ROWS,
  AMPLITUDE_REGION,
  { ...WINDOW, default: '1h', help: 'length of a window, 1h to 24h; halved if its answer is too large' },
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, otherwise: 'no limit' },
  CONCURRENCY,
  ...HOW_ROWS,
] as const

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
