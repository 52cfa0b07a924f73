import { row } from '../../options/row.ts'
import { wholeNumber } from '../../options/values.ts'
import { SEED } from '../seed-row.ts'

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
  { ...SEED, help: 'seed of the history' },
] as const
