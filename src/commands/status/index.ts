import { DATASET, FILE } from '../../options/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { type Call, describe } from '../command.ts'

export const OPTIONS = [
  { ...FILE, help: 'the files that are imported' },
  { ...DATASET, help: 'the dataset that is imported' },
  { ...CHECKPOINT_ROW, help: 'the checkpoint that the import was given' },
  { ...STATE, help: 'the --state that the import was given; alone: every import there' },
  row({ flag: '--rejects', help: 'print the rejects of the import, to mend them in a copy' }),
  { ...JSON_SUMMARY, help: 'print one JSON object per checkpoint' },
] as const

export type StatusCall = Call<typeof OPTIONS>

/** `status`: how far imports are. */
export const command = describe({
  argument: [
    '[checkpoint...]',
    'inputs or their checkpoints (default: every *.checkpoint.json in this folder)',
  ],
  options: OPTIONS,
  work: () => import('./run.ts'),
})
