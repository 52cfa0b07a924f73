import { row } from '../../options/row.ts'
import { wholeNumber } from '../../options/values.ts'
import { describe } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--dir <folder>',
    otherwise: 'a new temporary one',
    help: 'an empty folder to work in',
  }),
  row({
    flag: '--events <n>',
    parse: wholeNumber(100),
    default: '20,000',
    help: 'events in the history, 100 at least',
  }),
] as const

/** `demo`: a whole migration on sample data. */
export const command = describe({
  options: OPTIONS,
  work: async () => (await import('./run.ts')).demo,
})
