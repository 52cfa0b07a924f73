import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import { addDatasetArgument } from '../dataset-argument.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { CHECK_ROWS, type CheckOptions, checkOrder } from './order.ts'
import { runCheck } from './run.ts'
import { checkText } from './text.ts'

const HELP = `
Reads everything once and sends nothing; needs no key. With a personal key
(scopes project:read, group:read and query:read) it asks for the project and
what it has of these days, which group types it has and which events would not
show their groups, and which persons of the project import will put right. The
caps are those of import, from the same options, settings and defaults. What it
finds is an error, a warning or a note, each with an example and what to do. The
exit code is 3 if it finds an error: something that the service would certainly
lose or change.`

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArgument(command).addHelpText('after', HELP)
  useReported(command, CHECK_ROWS, { io, exit }, (options, [argument]) => check(argument, options, io))
}

async function check(argument: string | undefined, options: CheckOptions, io: Io): Promise<ExitCode> {
  const { json } = options.values
  const order = checkOrder(argument, options)
  const found = await runCheck(order, options, io)
  const { result } = found
  io.telemetry.summary('check', { json: result, text: '' })
  if (json) {
    io.stdout.write(jsonLine(result))
    if (found.exit !== EXIT.done) io.stderr.write(`  mend the errors, then: ${posthaulLine(found.next)}\n`)
  } else io.stdout.write(paintedFor(checkText(result, found), io.stdout, io.env))
  return found.exit
}
