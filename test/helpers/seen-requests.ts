import { onTestFinished } from 'vitest'
import { type RequestSeen, watchRequests } from '../../src/http/request-watch.ts'

/**
 * The requests of this process until the test ends, each once it is over. Of a server that never answers this tells how often it
 * was asked: a request can be given up before the server has seen any of it.
 */
export function seenRequests(): readonly RequestSeen[] {
  const seen: RequestSeen[] = []
  watchRequests((one) => seen.push(one))
  onTestFinished(() => watchRequests(undefined))
  return seen
}
