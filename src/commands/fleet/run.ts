import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import { STAGES } from '../../fleet/stage.ts'
import type { Io } from '../../io.ts'
import { required } from '../../options/row.ts'
import { ENDPOINT, OUT, WORK_DIR } from '../../options/rows/dataset-rows.ts'
import { INDEX } from '../../options/rows/fleet-rows.ts'
import { GROUP_READABLE } from '../../options/rows/output-rows.ts'
import { useReported } from '../reported.ts'

const RUN_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  INDEX,
  { ...WORK_DIR, help: 'where the task keeps its work files until it is done' },
  GROUP_READABLE,
  ENDPOINT,
] as const

/** `fleet run`: one task of a stage. */
export function configureRun(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('run').description('run one task of a stage; the scheduler does it')
  command.argument('[stage]', STAGES.join(', then '))
  useReported(command, RUN_ROWS, io, exit, async () => {
    throw new PosthaulError('this version runs no tasks', { code: 'usage' })
  })
}
