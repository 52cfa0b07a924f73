import type { Command } from 'commander'
import { type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { required } from '../../options/row.ts'
import { ENDPOINT, OUT } from '../../options/rows/dataset-rows.ts'
import { GROUP_READABLE, JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { useReported } from '../reported.ts'

const FINISH_ROWS = [
  { ...required(OUT), help: 'the place of the plan: a folder or s3://bucket/prefix' },
  GROUP_READABLE,
  JSON_SUMMARY,
  ENDPOINT,
] as const

/** `fleet finish`: checks all tasks, and writes the manifest. */
export function configureFinish(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('finish').description('check all tasks, and write the manifest last')
  useReported(command, FINISH_ROWS, io, exit, async () => {
    throw new PosthaulError('this version finishes no fleet', { code: 'usage' })
  })
}
