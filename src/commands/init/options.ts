import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import type { Call } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--out <file>',
    otherwise: 'standard output',
    help: 'where the mapping file is written; never over a file',
  }),
  JSON_SUMMARY,
] as const

export type InitCall = Call<typeof OPTIONS>
export type InitValues = InitCall['values']
