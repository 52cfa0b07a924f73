import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { readOrder } from '../downloads/order.ts'
import { BUCKET, expiryOf, isUnderWay, type Run, type RunFile, tooMany } from '../downloads/runs.ts'
import { cutAfter, cutConnection, portalPage, struckBy } from '../faults/commit.ts'
import { access } from './access.ts'
import { ApiError, invalid, notFound, offsetPage } from './api-error.ts'

/** The endpoints that make files of the project's events, a week at most a file set. */
export function downloadRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { downloads, dialect, now } = context
  if (dialect.downloads === 'absent') return
  const allow = access(context)
  const [reads, writes] = [allow('batch_export:read'), allow('batch_export:write')] as const
  const base = '/api/projects/:id/file_download_batch_exports'

  app.post(base, writes, async (c) => {
    const order = readOrder(await bodyOf(c), now())
    if (struckBy(context, 'download-order')) throw tooMany()
    if (dialect.downloads === 'unconfigured') {
      return c.json({ detail: 'The batch export failed to start. Try again later.' }, 500)
    }
    return c.json({ id: downloads.create(order).id }, 202)
  })
  app.get(base, reads, (c) => {
    const runs = downloads.list().map(({ id, status }) => ({ id, status }))
    return c.json(offsetPage(c, runs))
  })
  app.get(`${base}/:run`, reads, (c) => {
    const { status, files, rows, error } = runOf(c, context)
    const done = status === 'Completed' && { files: files.map(({ id }) => id), records_completed: rows }
    return c.json({ status, ...done, ...(error !== undefined && { error }) })
  })
  app.post(`${base}/:run/cancel`, writes, (c) => {
    const run = runOf(c, context)
    if (!isUnderWay(run)) throw invalid(`Cannot cancel a run that is in '${run.status}' status`)
    run.status = 'Cancelled'
    return c.json({ status: run.status })
  })
  app.get(`${base}/:run/download/:part?`, reads, (c) => {
    const file = fileOf(runOf(c, context), c.req.param('part'))
    if (file.expiresAt <= now() || struckBy(context, 'download-link')) {
      throw invalid('This file download has expired')
    }
    c.header('Cache-Control', 'no-store')
    const { hostname } = new URL(c.req.url)
    return c.redirect(`http://${hostname}:${context.bucketPort}${context.signer.sign(file, now())}`, 302)
  })
}

async function bodyOf(c: Context<NodeEnv>): Promise<unknown> {
  return await c.req.json().catch((error: Error) => {
    const detail = `JSON parse error - ${error.message}`
    throw new ApiError(400, { type: 'invalid_request', code: 'parse_error', detail })
  })
}

function runOf(c: Context<NodeEnv>, { downloads }: SandboxContext): Run {
  const run = downloads.get(c.req.param('run') ?? '')
  if (!run) throw notFound()
  return run
}

/** The file of this id, or the first. */
function fileOf({ status, files }: Run, wanted = files[0]?.id): RunFile {
  if (status === 'Failed') throw invalid('Batch export run has failed')
  if (status === 'Cancelled') throw invalid('Batch export run was cancelled')
  if (status !== 'Completed') throw invalid('Batch export run is still in progress')
  const file = files.find(({ id }) => id === wanted)
  if (!file) throw notFound()
  return file
}

/** The storage that downloads are fetched from. It has a port of its own, as the service's is another host. */
export function bucketApp(context: SandboxContext): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>()
  app.get(`/${BUCKET}/*`, (c) => serve(c, context))
  app.notFound(() => storageRefusal(403, 'AccessDenied', 'Access Denied'))
  return app
}

async function serve(c: Context<NodeEnv>, context: SandboxContext): Promise<Response> {
  const { downloads, signer, now } = context
  const url = new URL(c.req.url)
  const key = decodeURIComponent(url.pathname.slice(BUCKET.length + 2))
  if (c.req.header('authorization') !== undefined) {
    const text = 'Only one auth mechanism allowed; the address is signed already'
    return storageRefusal(400, 'InvalidArgument', text)
  }
  // The signature is of GET, and Hono hands HEAD to the same handler.
  if (c.req.method !== 'GET' || !signer.knows(key, url.searchParams)) {
    const text = 'The request signature does not match the one calculated'
    return storageRefusal(403, 'SignatureDoesNotMatch', text)
  }
  const fault = struckBy(context, 'download')
  const late = now() >= expiryOf(url.searchParams)
  if (late || fault?.kind === 'download-expired')
    return storageRefusal(403, 'AccessDenied', 'Request has expired')
  const file = downloads.file(key)
  if (!file) return storageRefusal(404, 'NoSuchKey', 'The specified key does not exist.')
  if (fault?.kind === 'html') return portalPage()
  if (fault?.kind === 'status')
    return storageRefusal(fault.status ?? 500, 'SlowDown', 'Please reduce your request rate.')
  const headers = {
    'content-type': 'binary/octet-stream',
    'content-length': String(file.bytes),
    'content-disposition': c.req.query('response-content-disposition') ?? 'attachment',
  }
  if (fault?.kind === 'reset') return cutConnection(c.env)
  if (fault) return cutAfter(c.env, headers, createReadStream(file.path, { end: file.bytes >> 1 }))
  return new Response(Readable.toWeb(createReadStream(file.path)) as ReadableStream, { headers })
}

function storageRefusal(status: number, code: string, message: string): Response {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`
  return new Response(body, { status, headers: { 'content-type': 'application/xml' } })
}
