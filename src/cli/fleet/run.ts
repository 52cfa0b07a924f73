import type { Command } from 'commander'
import type { ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { runFleetTask, stageOf, TASK_ROWS } from '../../jobs/index.ts'
import { STAGES } from '../../text/index.ts'
import { useReported } from '../reported.ts'

const HELP = `
Without --index the task is the one that JOB_COMPLETION_INDEX (Kubernetes) or
AWS_BATCH_JOB_ARRAY_INDEX says. A task that is done ends at once. One that died
is run again: it writes the same bytes.

Exit codes for a scheduler: 5 is worth another try; 2, 4 and 6 are not.

Examples:
  posthaul fleet run map --out s3://data/events --index 0
  posthaul fleet run seal --out events/ --index 7 --work-dir /scratch`

/** `fleet run`: one task of a stage. */
export function configureRun(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('run').description('run one task of a stage; the scheduler does it')
  command.argument('[stage]', STAGES.join(', then '))
  command.addHelpText('after', HELP)
  useReported(command, TASK_ROWS, { io, exit }, ({ values }, args) =>
    runFleetTask(values, stageOf(args[0]), io),
  )
}
