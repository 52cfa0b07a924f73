import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { required } from '../../options/row.ts'
import { ENDPOINT, OUT } from '../../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'

const STATUS_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  JSON_SUMMARY,
  ENDPOINT,
] as const

/** `fleet status`: how far the tasks are. */
export function configureStatus(parent: Command, io: Io, _exit: (code: ExitCode) => void): void {
  const command = parent.command('status').description('how far the tasks are, what failed, what to do next')
  useOptions(command, STATUS_ROWS, io.env, async () => {
    throw new PosthaulError('this version knows no tasks', { code: 'usage' })
  })
}
