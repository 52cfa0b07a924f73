import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { required } from '../../options/row.ts'
import { ENDPOINT, OUT } from '../../options/rows/dataset-rows.ts'
import { ENGINE, IMAGE } from '../../options/rows/fleet-rows.ts'

const JOB_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  required(ENGINE),
  IMAGE,
  ENDPOINT,
] as const

/** `fleet job`: the file that a scheduler takes, on stdout. */
export function configureJob(parent: Command, io: Io, _exit: (code: ExitCode) => void): void {
  const command = parent.command('job').description('print the job file for your scheduler')
  useOptions(command, JOB_ROWS, io.env, async () => {
    throw new PosthaulError('this version writes no job files', { code: 'usage' })
  })
}
