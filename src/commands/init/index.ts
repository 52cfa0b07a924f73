import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { type Call, describe } from '../command.ts'

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

/** `init`: a first mapping file from the data. */
export const command = describe({
  argument: ['<files...>', 'files, folders, globs, s3://…'],
  help: `
Looks at the first records and at others spread over all files, tells which
vendor's they are, or what each column holds, and writes a mapping file with
comments: posthaul transform --map mapping.yaml takes it as it is. What is
uncertain is written as the likeliest, with a question and the evidence.

  posthaul init shop.csv --out mapping.yaml
  posthaul init raw/ 's3://bucket/exports/' --out mapping.yaml

The exit code is 3 if no member could be the event's name, the person or the
time: the file says FILL_IN there.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
