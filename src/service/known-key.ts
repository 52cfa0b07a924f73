import type { Secret, Transport } from '../http/index.ts'
import { KIB, parseOnce } from '../text/index.ts'
import { replyOf } from './reply-of.ts'

const TIMEOUT_MS = 10_000

/** Whether a project has this key: the status that feature flags are answered with, or why there was no answer. */
export type KeyTried = { readonly status: number } | { readonly message: string }

/**
 * Tries a project key where the service refuses one that it does not know, with 401: the routes for events answer Ok to
 * any key. No flag is asked for, so nothing is counted as a request for flags.
 */
export async function tryProjectKey(transport: Transport, key: Secret, over: AbortSignal): Promise<KeyTried> {
  const body = { api_key: key.reveal(), distinct_id: 'posthaul', disable_flags: true }
  const reply = await replyOf(
    transport.request({
      method: 'POST',
      path: '/flags/?v=2',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      maxBytes: 64 * KIB,
      signal: over,
    }),
  )
  if ('network' in reply) return { message: reply.message }
  const { status, body: answer } = reply
  // A page of a network's login answers 200 too.
  if (status === 200 && !isObject(answer))
    return { message: '/flags/ answered 200, but not as the service does' }
  return { status }
}

function isObject(body: string): boolean {
  try {
    const value = parseOnce(body)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
