import { PosthaulError } from '../errors.ts'
import type { Reply } from './answer.ts'
import { NetworkError } from './network-error.ts'

/** Why a request is tried again, as a word to count by: the status, or the kind of the network's failure. */
export function causeOf(failure: Reply | Error): string {
  if (failure instanceof NetworkError) return failure.kind
  if ('network' in failure) return failure.network
  if ('status' in failure && typeof failure.status === 'number') return String(failure.status)
  return failure instanceof PosthaulError ? failure.code : 'other'
}
