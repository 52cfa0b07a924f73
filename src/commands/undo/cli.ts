import { withApi } from '../../imports/api-session.ts'
import { useOptions } from '../../options/options.ts'
import { ENDPOINT, FILE } from '../../options/rows/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { IMPORT_ID_ROW } from '../../options/rows/transform-rows.ts'
import { PROJECT_NAME, UNDO_REQUEST, UNDO_STATUS } from '../../options/rows/verify-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { jsonLine } from '../../text/json.ts'
import type { CommandModule } from '../command.ts'
import { addDatasetArgument, DATASET_OPTION } from '../dataset-argument.ts'
import { LATE } from '../late.ts'
import { undoOrder } from './order.ts'
import { undoText } from './text.ts'

const UNDO_ROWS = [
  { ...FILE, bare: false, help: 'the files that were imported' },
  DATASET_OPTION,
  { ...IMPORT_ID_ROW, otherwise: 'those of the input', help: 'all events with this $import_job_id' },
  UNDO_REQUEST,
  PROJECT_NAME,
  UNDO_STATUS,
  { ...CHECKPOINT_ROW, help: 'the checkpoint that the import was given' },
  { ...STATE, help: 'the --state that the import was given' },
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

const HELP = `
Says what of an import is in the project, what would stay, and the HogQL that
selects its events. Nothing is deleted without --request: that asks PostHog to
delete them, where the project allows it. A person there approves, and they are
deleted at a weekend. Until then import refuses the same events: they would go
with the rest. Then undo --status counts what is left, and import --restart
sends them anew.

Needs POSTHOG_PERSONAL_API_KEY of an organization admin, with query:read,
project:read, data_deletion:read and data_deletion:write.`

/** `undo`: takes an import back, as far as the service can. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(command).addHelpText('after', HELP)
  useOptions(command, UNDO_ROWS, io.env, (options, [dataset]) =>
    withApi(options, io, async (api) => {
      const { undo, undoExit } = await LATE.undo()
      const order = undoOrder(options.values, dataset, io.env)
      const { confirmer, DELETES } = await import('../confirm.ts')
      const result = await undo(order, {
        api,
        io,
        confirm: confirmer(options.values.projectName, io, DELETES),
      })
      io.stdout.write(options.values.json ? jsonLine(result) : undoText(result))
      exit(undoExit(order, result))
    }),
  )
}
