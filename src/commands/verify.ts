import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'
import { type Options, useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import { ENDPOINT, FILE } from '../options/rows/dataset-rows.ts'
import { CHECKPOINT, STATE } from '../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../options/rows/output-rows.ts'
import { BIG_INTEGERS, WITH } from '../options/rows/transform-rows.ts'
import { MISSING, SAMPLE, WAIT } from '../options/rows/verify-rows.ts'
import { API_ROWS } from '../options/service-settings.ts'
import { withEndpoint } from '../store/s3-location.ts'
import { withApi } from './api-session.ts'
import type { CommandModule } from './command.ts'
import { addDatasetArguments, DATASET_OPTION, datasetsOf } from './dataset-argument.ts'
import { switchesFor } from './import-settings.ts'
import { statePlace } from './state-place.ts'
import { openInputs } from './verify-inputs.ts'
import { verifyInputs } from './verify-run.ts'
import { showVerification } from './verify-show.ts'

const VERIFY_ROWS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: 'files that were imported as they are, verified with the datasets' },
  { ...WITH, help: 'switches of the preset posthog that they were imported with' },
  { ...BIG_INTEGERS, help: 'how they were imported' },
  SAMPLE,
  WAIT,
  MISSING,
  { ...CHECKPOINT, help: 'the checkpoint of the import, if it is elsewhere' },
  STATE,
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

const HELP = `
Proves that the very events arrived: for each UTC day and event name, the number
of events and a fingerprint of their uuids, here and in the service. Where they
differ, it names the events that are missing and those that nobody here sent,
and writes the missing ones to a file for import --file. A sample is compared
value by value. Verify datasets and files that share days together, such as a
dataset and its mended rejects.

The exit code is 0 if all is there as it was sent, and 3 if not. A run that is
cut short goes on where it stopped. Needs POSTHOG_PERSONAL_API_KEY (with the
scopes query:read and group:read) and POSTHOG_REGION or POSTHOG_HOST.`

/** `verify`: are the very events in the service? */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  addDatasetArguments(command).addHelpText('after', HELP)
  useOptions(command, VERIFY_ROWS, io.env, async (options, args) => {
    const { dataset, file } = options.values
    exit(
      await verify(
        file.length > 0 ? [...args, dataset ?? []].flat() : datasetsOf(args, dataset),
        options,
        io,
      ),
    )
  })
}

async function verify(
  datasets: readonly string[],
  options: Options<Values<typeof VERIFY_ROWS>>,
  io: Io,
): Promise<ExitCode> {
  const { file: files, endpoint, json, sample, wait, missing, checkpoint, state } = options.values
  const switches = switchesFor({ kind: files.length > 0 ? 'file' : 'dataset' }, options.values.with)
  const stores = datasets.map((dataset) => withEndpoint(dataset, endpoint))
  // The inputs come first, so that a wrong path is reported without a key.
  const rules = { switches, bigIntegersAsStrings: options.values.bigIntegers === 'string' }
  const inputs = await openInputs(stores, files, rules, io)
  const place = statePlace({ input: (datasets[0] ?? files[0])!, checkpoint, state, endpoint }, io.env)
  const settings = { sample, waitMs: wait ?? 0, missing, place }
  const found = await withApi(options, io, (api) => verifyInputs(inputs, settings, api, io))
  return showVerification(found, json, io)
}
