import { PosthaulError } from '../../errors.ts'
import { stateHome, statePlace } from '../../imports/state-place.ts'
import type { Io } from '../../io.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { datasetOf } from '../dataset-argument.ts'
import type { UndoOrder } from './run.ts'

interface UndoValues {
  readonly dataset: string | undefined
  readonly file: readonly string[]
  readonly importId: string | undefined
  readonly request: boolean
  readonly status: boolean
  readonly checkpoint: string | undefined
  readonly state: string | undefined
  readonly endpoint: string | undefined
}

/** Reads what is to be taken back. Opens no file. */
export function undoOrder(values: UndoValues, argument: string | undefined, env: Io['env']): UndoOrder {
  const { importId, file: files, request, status, state, endpoint } = values
  if (request && status)
    throw new PosthaulError('--request and --status do not go together', { code: 'usage' })
  const dataset = argument ?? values.dataset
  if ([importId, dataset, files[0]].filter((one) => one !== undefined).length > 1) {
    throw new PosthaulError('a dataset, --file and --import-id each say what to take back', {
      code: 'usage',
      hint: 'name the dataset or the files for their own events, or the id for all events that carry it',
    })
  }
  const act = request ? 'request' : status ? 'status' : 'look'
  if (importId !== undefined) {
    const ledger = state === undefined ? stateHome(env) : withEndpoint(state, endpoint)
    return { of: { importId }, ledger, act }
  }
  const datasets = files.length > 0 ? [] : [withEndpoint(datasetOf(argument, values.dataset), endpoint)]
  const place = statePlace({ ...values, input: datasets[0] ?? files[0]! }, env)
  return { of: { datasets, files, place }, ledger: place.ledger, act }
}
