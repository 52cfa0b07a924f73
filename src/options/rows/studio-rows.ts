import { row } from '../row.ts'
import { wholeNumber } from '../values.ts'

// The studio.

export const STUDIO_PORT = row({
  flag: '--port <n>',
  parse: wholeNumber(0, 65_535),
  default: '0',
  help: 'port to listen on; 0 takes a free one',
})

export const STUDIO_SAMPLE = row({
  flag: '--sample <n>',
  parse: wholeNumber(1, 100_000),
  default: '2,000',
  help: 'records to work with, spread over the whole input',
})
