import { row } from '../options/row.ts'
import { wholeNumber } from '../options/values.ts'

/** Of what is random in a sandbox and in the demo's history. */
export const SEED = row({
  flag: '--seed <n>',
  parse: wholeNumber(0),
  default: '1',
  help: 'seed of the faults',
})
