import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { withEndpoint } from '../../store/s3-location.ts'
import { datasetOf } from '../dataset-argument.ts'
import { stateHome } from '../state-home.ts'
import { statePlace } from '../state-place.ts'
import type { UndoOrder } from './run.ts'

interface UndoValues {
  readonly importId: string | undefined
  readonly request: boolean
  readonly status: boolean
  readonly checkpoint: string | undefined
  readonly state: string | undefined
  readonly endpoint: string | undefined
}

/** Reads what is to be taken back. Opens no file. */
export function undoOrder(values: UndoValues, dataset: string | undefined, env: Io['env']): UndoOrder {
  const { importId, request, status, state, endpoint } = values
  if (request && status)
    throw new PosthaulError('--request and --status do not go together', { code: 'usage' })
  if (importId !== undefined && dataset !== undefined) {
    throw new PosthaulError('a dataset and --import-id both say what to take back', {
      code: 'usage',
      hint: 'name the dataset for its own events, or the id for all events that carry it',
    })
  }
  const act = request ? 'request' : status ? 'status' : 'look'
  if (importId !== undefined) {
    const ledger = state === undefined ? stateHome(env) : withEndpoint(state, endpoint)
    return { of: { importId }, ledger, act }
  }
  const input = withEndpoint(datasetOf(dataset, undefined), endpoint)
  const place = statePlace({ ...values, input }, env)
  return { of: { dataset: input, place }, ledger: place.ledger, act }
}
