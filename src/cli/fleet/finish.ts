import type { Command } from 'commander'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { FINISH_ROWS, finishPlan } from '../../jobs/index.ts'
import type { Values } from '../../options/index.ts'
import { jsonLine } from '../../text/index.ts'
import { useReported } from '../reported.ts'
import { transformText } from '../text/transform-summary.ts'

const HELP = `
It refuses (exit 5) while a task is not done. It exits with 3 if records were
rejected: they are in rejects.ndjson, and the dataset is whole. Run twice, it
changes nothing.

Example:
  posthaul fleet finish --out s3://data/events`

/** `fleet finish`: checks all tasks, and writes the manifest. */
export function configureFinish(parent: Command, io: Io, exit: (code: ExitCode) => void): void {
  const command = parent.command('finish').description('check all tasks, and write the manifest last')
  command.addHelpText('after', HELP)
  useReported(command, FINISH_ROWS, { io, exit }, ({ values }) => finish(values, io))
}

async function finish(values: Values<typeof FINISH_ROWS>, io: Io): Promise<ExitCode> {
  const { result, said } = await finishPlan(values, io)
  if (values.json) io.stdout.write(jsonLine(result))
  if (result.before) io.telemetry.note('fleet', 'this was finished before: nothing was changed', 'info')
  const text = `fleet finish, ${transformText({ ...result, command: 'transform' }, said)}`
  io.telemetry.summary('fleet finish', { json: result, text })
  return result.counts.rejected > 0 ? EXIT.rejects : EXIT.done
}
