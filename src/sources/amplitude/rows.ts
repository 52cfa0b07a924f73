import { AMPLITUDE_REGION, CONCURRENCY, REQUESTS_PER_HOUR, WINDOW } from '../../options/index.ts'
import { HOW_ROWS, WHAT_ROWS, WHETHER_ROWS } from '../export-options.ts'

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
