import { ACCEPT } from '../../guards/accept.ts'
import { FILE } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { BIG_INTEGERS, WITH } from '../../options/transform-rows.ts'
import { VERIFY_SAMPLE, VERIFY_WAIT } from '../../options/verify-rows.ts'
import { type Call, describe } from '../command.ts'
import { DATASET_ARGUMENTS, DATASET_OPTION } from '../dataset-argument.ts'

/** The options of `verify`. */
export const OPTIONS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: 'files that were imported as they are, verified with the datasets' },
  { ...WITH, help: 'switches of the preset posthog that they were imported with' },
  { ...BIG_INTEGERS, help: 'how they were imported' },
  VERIFY_SAMPLE,
  VERIFY_WAIT,
  row({
    flag: '--missing <file>',
    otherwise: 'beside the input',
    help: 'where missing events are written, for import --file',
  }),
  { ...ACCEPT, help: 'with hidden_groups: exit 0 though events do not show their groups' },
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  STATE,
  JSON_SUMMARY,
  ...API_ROWS,
] as const

export type VerifyCall = Call<typeof OPTIONS>

/** `verify`: are the very events in the service? */
export const command = describe({
  argument: DATASET_ARGUMENTS,
  help: `
Proves that the very events arrived: for each UTC day and event name, the number
of events and a fingerprint of their ids, persons, names and times, here and in
the service. Where they differ, it names the events that are missing and those
that nobody here sent, and writes the missing ones to a file for import --file.
A sample is compared value by value. Verify datasets and files that share days
together, such as a dataset and its mended rejects.

The exit code is 0 if all is there as it was sent and every event shows its
groups, and 3 if not. Needs POSTHOG_PERSONAL_API_KEY (with the scopes query:read
and group:read) and POSTHOG_REGION or POSTHOG_HOST. With ingestion_warning:read
and project:read it tells too why events are missing.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
