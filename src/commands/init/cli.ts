import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { jsonLine } from '../../text/json.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { INIT_ROWS, type InitValues } from './order.ts'
import { initMapping } from './run.ts'
import { initText } from './text.ts'

const HELP = `
Looks at the first records and at others spread over all files, tells which
vendor's they are, or what each column holds, and writes a mapping file with
comments: posthaul transform --map mapping.yaml takes it as it is. What is
uncertain is written as the likeliest, with a question and the evidence.

  posthaul init shop.csv --out mapping.yaml
  posthaul init raw/ 's3://bucket/exports/' --out mapping.yaml
  zcat events.gz | posthaul init -

The exit code is 3 if no member could be the event's name, the person or the
time: the file says FILL_IN there.`

/** `init`: a first mapping file from the data. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command
    .argument('<files...>', 'files, folders, globs, s3://…; - is standard input')
    .addHelpText('after', HELP)
  useReported(command, INIT_ROWS, { io, exit }, ({ values }, files) => init(files, values, io))
}

async function init(files: readonly string[], values: InitValues, io: Io): Promise<ExitCode> {
  const { result, said } = await initMapping(files, values, io)
  if (values.json) io.stdout.write(jsonLine(result))
  else if (result.out === null) io.stdout.write(result.mapping)
  io.telemetry.summary('init', { json: result, text: initText(result, said) })
  return result.missing.length > 0 ? EXIT.rejects : EXIT.done
}
