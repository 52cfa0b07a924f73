import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY, OVERWRITE, PAGE } from '../../options/output-rows.ts'
import { required } from '../../options/row.ts'
import { type Call, describe } from '../command.ts'
import { DATASET_ARGUMENTS } from '../dataset-argument.ts'

export const OPTIONS = [
  required(PAGE),
  OVERWRITE,
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
] as const

export type ReportCall = Call<typeof OPTIONS>

/** `report`: one page of HTML on a migration, for those who were not there. */
export const command = describe({
  argument: DATASET_ARGUMENTS,
  help: `
Writes one HTML file that shows what was moved, from where, when and how: it
loads nothing, runs nothing, and can be sent by mail or printed. It is made of
what lies on disk or in the bucket: manifests, rejects, the state of the import,
and what verify found last. What could not be found is said on the page. PostHog
is not asked: run verify first.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
