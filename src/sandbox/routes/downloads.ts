import { type Context, Hono } from 'hono'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { notEnabled, readOrder } from '../downloads/order.ts'
import { isUnderWay, type Run, type RunFile, tooMany } from '../downloads/runs.ts'
import { parseUuid } from '../ingest/uuid.ts'
import { access } from './access.ts'
import { ApiError, invalid, notFound } from './api-error.ts'
import { offsetPage } from './offset-page.ts'

/** The endpoints that make files of the project's events and persons, a week at most a file set. */
export function downloadRoutes(context: SandboxContext): Hono<NodeEnv> {
  const { downloads, dialect, now } = context
  const routes = new Hono<NodeEnv>({ strict: false })
  if (dialect.downloads === 'absent') return routes
  const [reads, writes] = scopes(context)
  const base = '/api/projects/:id/file_download_batch_exports'

  routes.post(base, writes, async (c) => {
    const order = readOrder(await bodyOf(c), now())
    if (struck(context, 'download-order')) throw tooMany()
    if (dialect.downloads === 'unconfigured') {
      return c.json({ detail: 'The batch export failed to start. Try again later.' }, 500)
    }
    return c.json({ id: downloads.create(order).id }, 202)
  })
  routes.get(base, reads, (c) => {
    const runs = downloads.list().map(({ id, status }) => ({ id, status }))
    return c.json(offsetPage(c, runs))
  })
  // Only the model hogql has it, which is closed to this project.
  routes.post(`${base}/count_rows`, writes, async (c) => {
    const { model } = Object(await bodyOf(c))
    if (model === 'hogql') throw notEnabled()
    throw invalid(`"${model}" is not a valid choice.`, 'model', 'invalid_choice')
  })
  routes.get(`${base}/:run`, reads, (c) => {
    const { status, files, rows, error } = runOf(c, context)
    const done = status === 'Completed' && { files: files.map(({ id }) => id), records_completed: rows }
    return c.json({ status, ...done, ...(error !== undefined && { error }) })
  })
  routes.post(`${base}/:run/cancel`, writes, (c) => {
    const run = runOf(c, context)
    if (!isUnderWay(run)) throw invalid(`Cannot cancel a run that is in '${run.status}' status`)
    run.status = 'Cancelled'
    return c.json({ status: run.status })
  })
  routes.get(`${base}/:run/download/:part?`, reads, (c) => {
    const file = fileOf(runOf(c, context), c.req.param('part'))
    if (file.expiresAt <= now() || struck(context, 'download-link')) {
      throw invalid('This file download has expired')
    }
    c.header('Cache-Control', 'no-store')
    const { hostname } = new URL(c.req.url)
    return c.redirect(`http://${hostname}:${context.bucketPort}${context.signer.sign(file, now())}`, 302)
  })
  return routes
}

function scopes(context: SandboxContext) {
  const allow = access(context)
  return [allow('batch_export:read'), allow('batch_export:write')] as const
}

async function bodyOf(c: Context<NodeEnv>): Promise<unknown> {
  return await c.req.json().catch((error: Error) => {
    const detail = `JSON parse error - ${error.message}`
    throw new ApiError(400, { type: 'invalid_request', code: 'parse_error', detail })
  })
}

function struck({ dice, stats, store }: SandboxContext, on: 'download-order' | 'download-link'): boolean {
  const fault = dice.strike({ on, stored: store.stored })
  if (fault) stats.struck(fault.kind)
  return fault !== undefined
}

function runOf(c: Context<NodeEnv>, { downloads }: SandboxContext): Run {
  const run = downloads.get(c.req.param('run') ?? '')
  if (!run) throw notFound()
  return run
}

/** The file that a part names: by its place, by its id, or the first. */
function fileOf({ status, files }: Run, part = '0'): RunFile {
  if (status === 'Failed') throw invalid('Batch export run has failed')
  if (status === 'Cancelled') throw invalid('Batch export run was cancelled')
  if (status !== 'Completed') throw invalid('Batch export run is still in progress')
  const isId = parseUuid(part) !== undefined
  if (!isId && !/^[+-]?\d+$/.test(part)) throw invalid(`Invalid file id or index: '${part}'`)
  const file = isId ? files.find(({ id }) => id === part.toLowerCase()) : files[Number(part)]
  if (!file) throw notFound(isId ? undefined : `No files with index ${Number(part)}`)
  return file
}
