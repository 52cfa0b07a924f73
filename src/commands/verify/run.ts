import type { Verification } from '../../checks/verification.ts'
import { ACCEPT } from '../../guards/guards.ts'
import { withApi } from '../../imports/api-session.ts'
import { switchesFor } from '../../imports/import-order.ts'
import { sentOtherwise } from '../../imports/sent-before.ts'
import { statePlace } from '../../imports/state-place.ts'
import { openInputs } from '../../imports/verify-inputs.ts'
import type { Io } from '../../io.ts'
import type { Options } from '../../options/options.ts'
import type { Values } from '../../options/row.ts'
import { ENDPOINT, FILE } from '../../options/rows/dataset-rows.ts'
import { CHECKPOINT_ROW, STATE } from '../../options/rows/import-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { BIG_INTEGERS, WITH } from '../../options/rows/transform-rows.ts'
import { MISSING, VERIFY_SAMPLE, VERIFY_WAIT } from '../../options/rows/verify-rows.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { DATASET_OPTION } from '../dataset-argument.ts'
import { verifyInputs } from './verify-run.ts'

/** The options of `verify`. */
export const VERIFY_ROWS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: 'files that were imported as they are, verified with the datasets' },
  { ...WITH, help: 'switches of the preset posthog that they were imported with' },
  { ...BIG_INTEGERS, help: 'how they were imported' },
  VERIFY_SAMPLE,
  VERIFY_WAIT,
  MISSING,
  { ...ACCEPT, help: 'with hidden_groups: exit 0 though events do not show their groups' },
  { ...CHECKPOINT_ROW, help: 'the checkpoint of the import, if it is elsewhere' },
  STATE,
  JSON_SUMMARY,
  ENDPOINT,
  ...API_ROWS,
] as const

/** Compares datasets and files with what the service has: the command prints what was found, the library returns it. */
export async function runVerify(
  datasets: readonly string[],
  options: Options<Values<typeof VERIFY_ROWS>>,
  io: Io,
): Promise<Verification> {
  const { file: files, endpoint, sample, wait, missing, checkpoint, state, bigIntegers } = options.values
  const switches = switchesFor({ kind: files.length > 0 ? 'file' : 'dataset' }, options.values.with)
  const stores = datasets.map((dataset) => withEndpoint(dataset, endpoint))
  // The inputs come first, so that a wrong path is reported without a key.
  const rules = { switches, bigIntegersAsStrings: bigIntegers === 'string' }
  const place = statePlace({ input: (datasets[0] ?? files[0])!, checkpoint, state, endpoint }, io.env)
  const inputs = await openInputs({ datasets: stores, files, rules }, place, io)
  const [first] = stores
  const other = first === undefined ? undefined : await sentOtherwise(first, place)
  const settings = { sample, waitMs: wait ?? 0, missing, place }
  const found = await withApi(options, io, (api) => verifyInputs(inputs, settings, api, io))
  return { ...found, sentOtherwise: other }
}
