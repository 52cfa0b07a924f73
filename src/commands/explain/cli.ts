import type { Command } from 'commander'
import { EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { folded } from '../../text/fold.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { visible } from '../../text/visible.ts'
import { LATE } from '../late.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { EXPLAIN_ROWS, type ExplainValues } from './order.ts'
import type { Looked } from './run.ts'
import { explanationText } from './text.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  declare(command)
  useReported(command, EXPLAIN_ROWS, { io, exit }, async ({ values }, files) => run(files, values, io))
}

function declare(command: Command): void {
  command.argument('<file>', 'a file, folder or address of records, their rejects, or with --uuid a dataset')
  command.addHelpText('after', HELP)
}

const HELP = `
Examples:
  posthaul explain raw/part-1.ndjson --preset mixpanel --line 12
  posthaul explain raw/ --map mapping.yaml --event 'Signed Up'
  posthaul explain events/ --uuid 018f3c6e-1c2b-7a10-9f00-0123456789ab
  posthaul explain events/rejects.ndjson
  posthaul explain raw/ --map mapping.yaml --line a.ndjson:12 --as-test

Give the options that transform is given: they decide what becomes of a record.
Without a preset the records tell which one they fit.`

async function run(files: readonly string[], values: ExplainValues, io: Io): Promise<ExitCode> {
  const asked = [values.line, values.uuid, values.event].filter((one) => one !== undefined)
  if (asked.length > 1)
    throw new PosthaulError('--line, --uuid and --event name one record each: give one of them', {
      code: 'usage',
    })
  // What reads, maps and traces is loaded when it is known that there is something to do.
  const { look } = await LATE.explain()
  const looked = await look(files[0]!, values, io)
  for (const remark of looked.remarks) io.stderr.write(folded(visible(remark), '  ', 'posthaul: '))
  show(looked, values, io)
  if (looked.record) return EXIT.done
  const { notFound } = looked
  for (const line of notFound)
    io.stderr.write(folded(visible(line), '  ', line === notFound[0] ? 'posthaul: ' : '  '))
  return EXIT.rejects
}

function show({ result, record }: Looked, { json }: ExplainValues, io: Io): void {
  const { test } = result
  if (json) io.stdout.write(jsonLine(result))
  else if (test?.yaml) io.stdout.write(test.yaml)
  else if (record) {
    const columns = io.stdout.isTTY ? (io.stdout.columns ?? 80) : undefined
    io.stdout.write(paintedFor(explanationText(record, columns), io.stdout, io.env))
  }
  if (test && test.file !== null)
    io.stderr.write(folded(visible(`added the test "${test.name}" to ${test.file}`), '  ', 'posthaul: '))
}
