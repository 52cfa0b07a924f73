import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import { folded } from '../../text/fold.ts'
import { jsonLine } from '../../text/json.ts'
import { paintedFor } from '../../text/paint.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import type { CommandModule } from '../command.ts'
import { useReported } from '../reported.ts'
import { DOCTOR_ROWS, type DoctorValues } from './order.ts'
import { runDoctor } from './run.ts'
import { doctorText } from './text.ts'

const HELP = `
Looks at this machine, the keys, the project, the vendor and the stores, sends
no event, and says of each thing whether it will do: Node, room on the disk,
the clock, the project key and the name of its project, the scopes of the
personal key, the vendor's credentials, the rights in a bucket (by a probe that
is removed again), the caps and the time. What no option names is not looked at.

  posthaul doctor
  posthaul doctor --in raw/ --out events/
  posthaul doctor --dataset s3://history/events
  posthaul doctor migration.yaml

The exit code is 3 if it finds an error: then what it stands for would fail.`

/** `doctor`: whether everything is ready for a migration. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  command
    .argument('[file]', 'a migration file, as run takes it, in place of the options')
    .addHelpText('after', HELP)
  useReported(command, DOCTOR_ROWS, { io, exit }, (options, [file]) => doctor(file, options, io))
}

async function doctor(file: string | undefined, options: Options<DoctorValues>, io: Io): Promise<ExitCode> {
  const result = await runDoctor(file, options, io)
  io.telemetry.summary('doctor', { json: result, text: '' })
  if (options.values.json) io.stdout.write(jsonLine(result))
  else io.stdout.write(paintedFor(doctorText(result), io.stdout, io.env))
  if (result.ready) return EXIT.done
  io.stderr.write(folded(`mend the errors, then: ${posthaulLine(io.argv)}`, '    ', '  '))
  return EXIT.rejects
}
