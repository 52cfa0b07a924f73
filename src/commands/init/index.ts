import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `init`: a first mapping file from the data. */
export const command = describe({
  argument: ['<files...>', 'files, folders, globs, s3://…; - is standard input'],
  help: `
Looks at the first records and at others spread over all files, tells which
vendor's they are, or what each column holds, and writes a mapping file with
comments: posthaul transform --map mapping.yaml takes it as it is. What is
uncertain is written as the likeliest, with a question and the evidence.

  posthaul init shop.csv --out mapping.yaml
  posthaul init raw/ 's3://bucket/exports/' --out mapping.yaml
  zcat events.gz | posthaul init -

The exit code is 3 if no member could be the event's name, the person or the
time: the file says FILL_IN there.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
