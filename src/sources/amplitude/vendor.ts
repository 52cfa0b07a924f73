import { row } from '../../options/row.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'
import { CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from '../export-rows.ts'
import type { VendorRow } from '../vendor-source.ts'

const REGION = row({
  flag: '--region <name>',
  choices: ['us', 'eu'],
  default: 'us',
  help: "where the project's data lives",
})

/** The options of `export amplitude`, in the order of its help. */
export const AMPLITUDE_ROWS = [
  ...WHAT_ROWS,
  REGION,
  { ...WINDOW, default: '1h', help: 'length of a window, 1h to 24h; halved if its answer is too large' },
  ...WHETHER_ROWS,
  { ...REQUESTS_PER_HOUR, otherwise: 'no limit' },
  CONCURRENCY,
  ...HOW_ROWS,
] as const

export const amplitudeVendor = {
  name: 'amplitude',
  description: 'events by the hour they reached Amplitude',
  help: `
Credentials: AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY, each from the
environment, or from the file that <name>_FILE names. Windows follow
server_upload_time, in UTC. An hour can be exported two hours after its end.`,
  credentials: 'AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY',
  signs: ['AMPLITUDE_API_KEY', 'AMPLITUDE_SECRET_KEY'],
  rows: AMPLITUDE_ROWS,
  settings: [REGION, WINDOW],
  variables: {},
  firstLines: ['# region: eu'],
} as const satisfies VendorRow
