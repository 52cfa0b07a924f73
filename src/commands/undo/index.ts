import { FILE } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, SINGLE_WRITER, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { IMPORT_ID_ROW } from '../../options/transform-rows.ts'
import { type Call, describe } from '../command.ts'
import { DATASET_ARGUMENT, DATASET_OPTION } from '../dataset-argument.ts'

export const OPTIONS = [
  { ...FILE, bare: false, help: 'the files that were imported' },
  DATASET_OPTION,
  { ...IMPORT_ID_ROW, otherwise: 'those of the input', help: 'all events with this $import_job_id' },
  row({
    flag: '--request <project>',
    help: 'ask the project of this name to delete the events; without it nothing is asked',
  }),
  row({ flag: '--status', help: 'how far the request is, and what is left once it is done' }),
  { ...CHECKPOINT_ROW, help: 'the checkpoint that the import was given' },
  { ...STATE, help: 'the --state that the import was given' },
  SINGLE_WRITER,
  JSON_SUMMARY,
  ...API_ROWS,
] as const

export type UndoCall = Call<typeof OPTIONS>

/** `undo`: takes an import back, as far as the service can. */
export const command = describe({
  argument: DATASET_ARGUMENT,
  help: `
Says what of an import is in the project, what would stay, and the HogQL that
selects its events. Nothing is deleted without --request: that asks PostHog to
delete them, where the project allows it. A person there approves, and they are
deleted at a weekend. Until then import refuses the same events: they would go
with the rest. Then undo --status counts what is left, and import --restart
sends them anew.

Needs POSTHOG_PERSONAL_API_KEY of an organization admin, with query:read,
project:read, data_deletion:read and data_deletion:write.`,
  options: OPTIONS,
  oneOf: [
    ['request', 'status'],
    ['dataset', 'file', 'importId'],
  ],
  work: () => import('./run.ts'),
})
