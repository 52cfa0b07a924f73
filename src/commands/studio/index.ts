import { IN } from '../../options/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { required, row } from '../../options/row.ts'
import * as rows from '../../options/transform-rows.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Call, describe } from '../command.ts'
import { PRESET_ROW } from '../event-rows.ts'

export const OPTIONS = [
  PRESET_ROW,
  required(IN),
  rows.SOURCE_TIMEZONE,
  rows.GROUP_TYPE,
  rows.WITH,
  rows.JOIN,
  row({
    flag: '--sample <n>',
    parse: wholeNumber(1, 100_000),
    default: '2,000',
    help: 'records to work with, spread over the whole input',
  }),
  row({
    flag: '--port <n>',
    parse: wholeNumber(0, 65_535),
    default: '0',
    help: 'port to listen on; 0 takes a free one',
  }),
  { ...JSON_SUMMARY, help: 'print the address as a JSON object' },
] as const

export type StudioCall = Call<typeof OPTIONS>
export type StudioValues = StudioCall['values']

/** `studio`: a mapping on a page of this machine. */
export const command = describe({
  argument: ['[mapping]', 'the mapping file (default: mapping.yaml), made on the first save'],
  options: OPTIONS,
  isDeed: true,
  work: () => import('./run.ts'),
})
