import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { cutAfter, cutConnection, portalPage } from '../faults/commit.ts'
import { BUCKET, expiryOf } from './signer.ts'

/** The storage that downloads are fetched from. It has a port of its own, as the service's is another host. */
export function bucketApp(context: SandboxContext): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>()
  app.get(`/${BUCKET}/*`, (c) => serve(c, context))
  app.notFound(() => refusal(403, 'AccessDenied', 'Access Denied'))
  return app
}

async function serve(c: Context<NodeEnv>, context: SandboxContext): Promise<Response> {
  const { dice, stats, store, downloads, signer, now } = context
  const url = new URL(c.req.url)
  const key = decodeURIComponent(url.pathname.slice(BUCKET.length + 2))
  if (c.req.header('authorization') !== undefined) {
    return refusal(400, 'InvalidArgument', 'Only one auth mechanism allowed; the address is signed already')
  }
  // The signature is of GET, and Hono hands HEAD to the same handler.
  if (c.req.method !== 'GET' || !signer.knows(key, url.searchParams)) {
    return refusal(403, 'SignatureDoesNotMatch', 'The request signature does not match the one calculated')
  }
  const fault = dice.strike({ on: 'download', stored: store.stored })
  if (fault) stats.struck(fault.kind)
  const late = now() >= expiryOf(url.searchParams)
  if (late || fault?.kind === 'download-expired') return refusal(403, 'AccessDenied', 'Request has expired')
  const file = downloads.file(key)
  if (!file) return refusal(404, 'NoSuchKey', 'The specified key does not exist.')
  if (fault?.kind === 'html') return portalPage()
  if (fault?.kind === 'status')
    return refusal(fault.status ?? 500, 'SlowDown', 'Please reduce your request rate.')
  const headers = {
    'content-type': 'binary/octet-stream',
    'content-length': String(file.bytes),
    'content-disposition': c.req.query('response-content-disposition') ?? 'attachment',
  }
  if (fault?.kind === 'reset') return cutConnection(c.env)
  if (fault) return cutAfter(c.env, headers, createReadStream(file.path, { end: file.bytes >> 1 }))
  return new Response(Readable.toWeb(createReadStream(file.path)) as ReadableStream, { headers })
}

function refusal(status: number, code: string, message: string): Response {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return new Response(body, { status, headers: { 'content-type': 'application/xml' } })
}
