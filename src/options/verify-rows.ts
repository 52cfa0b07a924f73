import { row } from './row.ts'
import { duration, sampleSize } from './values.ts'

// How arrival is proven.

export const VERIFY_SAMPLE = row({
  flag: '--sample <n>',
  config: 'verify.sample',
  parse: sampleSize,
  default: '1,000',
  help: 'compare so many events value by value; all, or 0 for none',
})

export const VERIFY_WAIT = row({
  flag: '--wait <duration>',
  parse: duration,
  help: 'while events are missing, go on asking for so long, e.g. 10m',
})

export const VERIFY = row({
  flag: '--verify',
  help: 'at the end, verify that all events arrived; waits up to 10m for them',
})
