import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import type { Call } from '../command.ts'

export const OPTIONS = [
  row({
    flag: '--fixtures <folder>',
    otherwise: 'acme.fixtures beside acme.mjs; those of the package for a built-in preset',
    help: 'the cases: valid/, invalid/ and walks.json',
  }),
  JSON_SUMMARY,
] as const

export type PresetTestCall = Call<typeof OPTIONS>
