import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { count, type SandboxContext } from '../context.ts'
import type { Place } from './dice.ts'
import type { Fault } from './fault.ts'

const PORTAL = '<!doctype html><title>Sign in to Wi-Fi</title><p>Accept the terms to go online.'
const DRIPS = 20
const SLOW_MS = 2000

// Made after another server of the process began, it is one that the adapter answers from a cache, for a second time. Whoever
// reads its body takes it out of there.
void RESPONSE_ALREADY_SENT.body

/** The fault that strikes a request of the project API, if any; it counts as one that did. */
export function struckBy({ dice, stats, store }: SandboxContext, on: Place): Fault | undefined {
  const fault = dice.strike(on, store.stored)
  if (fault) count(stats.faults, fault.kind)
  return fault
}

/** Answers with the sign-in page of a captive portal. */
export function portalPage(): Response {
  return new Response(PORTAL, { headers: { 'content-type': 'text/html; charset=utf-8' } })
}

/** Cuts the connection without an answer. */
export function cutConnection({ incoming }: HttpBindings): Response {
  incoming.socket.resetAndDestroy()
  return RESPONSE_ALREADY_SENT
}

/** Sends an answer in small pieces over `ms` milliseconds. */
export async function drip({ outgoing }: HttpBindings, whole: Response, ms = SLOW_MS): Promise<Response> {
  const answer = outgoing as ServerResponse
  const body = await whole.text()
  const length = { 'content-length': Buffer.byteLength(body) }
  answer.writeHead(whole.status, { ...Object.fromEntries(whole.headers), ...length })
  answer.flushHeaders()
  const size = Math.ceil(body.length / DRIPS)
  let at = 0
  const timer = setInterval(() => {
    answer.write(body.slice(at, at + size))
    at += size
    if (at < body.length) return
    clearInterval(timer)
    answer.end()
  }, ms / DRIPS)
  answer.on('close', () => clearInterval(timer))
  return RESPONSE_ALREADY_SENT
}

/** Sends the head of an answer and the part of its body that `body` holds, then cuts the connection. */
export function cutAfter(env: HttpBindings, headers: OutgoingHttpHeaders, body: Readable): Response {
  const answer = env.outgoing as ServerResponse
  answer.writeHead(200, headers)
  body.pipe(answer, { end: false })
  body.on('end', () => cutConnection(env))
  return RESPONSE_ALREADY_SENT
}
