import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'

const PORTAL = '<!doctype html><title>Sign in to Wi-Fi</title><p>Accept the terms to go online.'
const DRIPS = 20

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
export async function drip({ outgoing }: HttpBindings, whole: Response, ms: number): Promise<Response> {
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
