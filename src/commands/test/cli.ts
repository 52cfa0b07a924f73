import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Values } from '../../options/row.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { LATE } from '../late.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { TEST_ROWS } from './order.ts'
import { testText } from './text.ts'

const HELP = `
Runs the tests in a mapping file, and those in the file beside it, which is
mapping.test.yaml for mapping.yaml: whether each record becomes what the test
expects. transform runs them, too, before it begins.

  posthaul test mapping.yaml
  posthaul test mapping.yaml --update
  posthaul test mapping.yaml --junit results.xml

posthaul explain … --map mapping.yaml --as-test writes a test of a record.
The exit code is 3 if a test fails.`

/** `test`: whether records become what the tests of a mapping file expect. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('<mapping>', 'the mapping file').addHelpText('after', HELP)
  useReported(command, TEST_ROWS, { io, exit }, ({ values }, [mapping]) => test(mapping!, values, io))
}

async function test(mapping: string, values: Values<typeof TEST_ROWS>, io: Io): Promise<ExitCode> {
  // What reads, maps and traces is loaded when it is known that there is something to do.
  const { runMappingTests } = await LATE.test()
  const result = await runMappingTests(mapping, values, io)
  if (values.json) io.stdout.write(jsonLine(result))
  else io.stdout.write(paintedFor(testText(result, io.stdout.columns), io.stdout, io.env))
  return result.failed > 0 ? EXIT.rejects : EXIT.done
}
