import type { ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { Values } from '../../options/row.ts'
import { addDatasetArguments, datasetsOf } from '../dataset-argument.ts'
import type { CommandModule } from '../module.ts'
import { useReported } from '../reported.ts'
import { runVerify, VERIFY_ROWS } from './run.ts'
import { showVerification } from './show.ts'

const HELP = `
Proves that the very events arrived: for each UTC day and event name, the number
of events and a fingerprint of their uuids, here and in the service. Where they
differ, it names the events that are missing and those that nobody here sent,
and writes the missing ones to a file for import --file. A sample is compared
value by value. Verify datasets and files that share days together, such as a
dataset and its mended rejects.

The exit code is 0 if all is there as it was sent and every event shows its
groups, and 3 if not. A run that is cut short goes on where it stopped. Needs
POSTHOG_PERSONAL_API_KEY (with the scopes query:read and group:read) and
POSTHOG_REGION or POSTHOG_HOST. With ingestion_warning:read and project:read it
tells too why events are missing.`

/** `verify`: are the very events in the service? */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useReported(command, VERIFY_ROWS, { io, exit }, async (options, args) => {
    const { dataset, file } = options.values
    const datasets = file.length > 0 ? [...args, dataset ?? []].flat() : datasetsOf(args, dataset)
    return verify(datasets, options, io)
  })
}

async function verify(
  datasets: readonly string[],
  options: Options<Values<typeof VERIFY_ROWS>>,
  io: Io,
): Promise<ExitCode> {
  const { json, accept } = options.values
  return showVerification(await runVerify(datasets, options, io), { json, accept }, io)
}
