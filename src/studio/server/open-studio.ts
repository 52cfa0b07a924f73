import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import { MOST_MAPPING_BYTES } from '../mapping-on-disk.ts'
import type { StudioRefusal } from '../studio-data.ts'
import { StudioRefused, type Workbench } from '../workbench.ts'
import { CALLS, type Call } from './requests.ts'

const HOST = '127.0.0.1'

/** A studio that listens. */
export interface Studio {
  /** With the token: whoever has it can see the sample and change the mapping file. */
  readonly url: string
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/**
 * Listens on this machine alone. `port` 0 takes a free one. Code `config` for a port that is taken. `failed` is told of what
 * must not happen; the token is in no message.
 */
export async function openStudio(
  bench: Workbench,
  port: number,
  failed: (error: unknown) => void,
): Promise<Studio> {
  const files = await readPageFiles()
  const token = randomBytes(24).toString('base64url')
  // Its routes are known when the port is.
  let app: Hono | undefined
  const server = createAdaptorServer({ fetch: (request) => app!.fetch(request) }) as Server
  await listen(server, port)
  const bound = (server.address() as AddressInfo).port
  app = studioApp(bound, token, bench, files, failed)
  return {
    url: `http://${HOST}:${bound}/${token}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is taken' : cause.message
      reject(
        new PosthaulError(`can't listen on ${HOST}:${port}: ${why}`, {
          code: 'config',
          hint: 'choose another with --port, or leave it out to take a free one',
          cause,
        }),
      )
    })
    server.listen(port, HOST, resolve)
  })
}

/**
 * Why a request is refused; undefined for one that may pass. Whoever has the token may look; a change must come from the
 * studio's own page besides, as browsers say it:
 *
 * - `Host` names this machine: a name of somebody's own that resolves to it (DNS rebinding) would make their page ours.
 * - The token is in the path. It is compared in a time that does not tell how much of it is right.
 * - `Origin` and `Sec-Fetch-Site` of a change are the page's own: a form of another page sends its own.
 */
function refusalOf(req: Context['req'], port: number, token: string): string | undefined {
  const host = req.header('host')
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`)
    return 'the request names another host than this machine'
  const given = req.path.split('/')[1] ?? ''
  if (!isEqual(given, token)) return 'the address lacks the token: open the one that posthaul studio printed'
  const site = req.header('sec-fetch-site')
  const isOwnSite = site === undefined || site === 'same-origin'
  if (req.method === 'GET' || req.method === 'HEAD') {
    const isOpened = site === 'none' || req.header('sec-fetch-mode') === 'navigate'
    return isOwnSite || isOpened ? undefined : 'the request comes from another page'
  }
  if (!isOwnSite || req.header('origin') !== `http://${host}`) return 'the request comes from another page'
  return undefined
}

/** Digests are of one length, as the comparison needs it. */
function isEqual(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(a), digest(b))
}

/** The headers of every answer. The page runs its own script and nothing else, and nothing of it is kept or told on. */
const ANSWER_HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cache-Control': 'no-store',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** The routes of the studio, all below its token: the page, and the calls of requests.ts. */
function studioApp(
  port: number,
  token: string,
  bench: Workbench,
  files: Awaited<ReturnType<typeof readPageFiles>>,
  failed: (error: unknown) => void,
): Hono {
  const app = new Hono()
  app.use(async (c, next) => {
    await next()
    for (const [name, value] of Object.entries(ANSWER_HEADERS)) c.res.headers.set(name, value)
  })
  app.use(async (c, next) => {
    const why = refusalOf(c.req, port, token)
    return why === undefined ? next() : refuse(c, 403, why)
  })
  app.use(
    bodyLimit({
      // What is saved here must be read again, by the studio and by a transform.
      maxSize: MOST_MAPPING_BYTES,
      onError: (c) => refuse(c, 413, 'the request is larger than any mapping file'),
    }),
  )

  const base = `/${token}`
  app.get(base, (c) => c.redirect(`${base}/`, 308))
  app.on('GET', [`${base}/`, `${base}/:file`], (c) => {
    const file = files.get(c.req.param('file') ?? 'index.html')
    return file ? c.body(file.bytes, 200, { 'Content-Type': file.type }) : c.notFound()
  })
  app.post(`${base}/api/:call`, async (c) => {
    const call = c.req.param('call') as Call
    if (!Object.hasOwn(CALLS, call)) return c.notFound()
    return c.json(await bench[call]((await bodyOf(c, CALLS[call])) as never))
  })
  app.notFound((c) => refuse(c, 404, 'there is no such page'))
  app.onError((error, c) => {
    if (error instanceof BadRequest) return refuse(c, 400, error.message)
    if (error instanceof PosthaulError) {
      const more = error instanceof StudioRefused ? error.more : {}
      return refuse(c, more.mapping ? 409 : 422, error.message, { ...more, hint: error.hint ?? null })
    }
    failed(error)
    return refuse(c, 500, 'posthaul failed: its terminal says why')
  })
  return app
}

class BadRequest extends Error {}

async function bodyOf<S extends z.ZodType>(c: Context, schema: S): Promise<z.output<S>> {
  // A page of another origin can't send this type without asking first.
  if (!/^application\/json\b/i.test(c.req.header('content-type') ?? ''))
    throw new BadRequest('expected a body of type application/json')
  const body: unknown = await c.req.json().catch(() => {
    throw new BadRequest("the body isn't JSON")
  })
  const { success, data, error } = schema.safeParse(body)
  if (success) return data
  throw new BadRequest(z.prettifyError(error))
}

function refuse(
  c: Context,
  status: 400 | 403 | 404 | 409 | 413 | 422 | 500,
  message: string,
  more: Partial<StudioRefusal> = {},
): Response {
  return c.json({ hint: null, ...more, message } satisfies StudioRefusal, status)
}

const TYPES = {
  'index.html': 'text/html; charset=utf-8',
  'studio.js': 'text/javascript; charset=utf-8',
  'studio.css': 'text/css; charset=utf-8',
} as const

/** Reads the page into memory, by file name; requests name no files of this machine. */
async function readPageFiles() {
  // The same place from src/ and from dist/.
  const folder = new URL('../../../dist/web/studio/', import.meta.url)
  const files = new Map<string, { readonly type: string; readonly bytes: Uint8Array<ArrayBuffer> }>()
  for (const [name, type] of Object.entries(TYPES)) {
    files.set(name, { type, bytes: new Uint8Array(await readFile(new URL(name, folder))) })
  }
  return files
}
