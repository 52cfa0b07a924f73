import { z } from 'zod'
import { MIB } from '../../text/units.ts'
import { askJson } from '../answer-bytes.ts'
import {
  cutShort,
  type Expected,
  type VendorClient,
  VendorError,
  type VendorRequest,
} from '../vendor-client.ts'
import { formatUtc, type WindowSpan } from '../window.ts'

/** The scopes of a key that may use downloads. */
const DOWNLOAD_SCOPES = 'batch_export:write and batch_export:read'

/** The server makes no file downloads: it is too old, or has no storage for them. With the fate `retry` it may make some later. */
export class NotOffered extends VendorError {}

/** A run's files are gone, or the run itself: it must be ordered again. */
export class Gone extends VendorError {}

// A file is fetched again from its beginning if its connection breaks, and lies on this machine's disk while it is read.
const FILE_MB = 256
const ANSWER_BYTES = 4 * MIB

// The id becomes a part of paths.
const listSchema = z.object({ results: z.array(z.unknown()) })
const statusSchema = z.object({ status: z.string() })
const createdSchema = z.object({ id: z.uuid() })
const runSchema = z
  .object({
    status: z.string(),
    files: z.array(z.string().regex(/^[\w-]{1,100}$/)).nullish(),
    records_completed: z.int().nonnegative().nullish(),
    error: z.string().nullish(),
  })
  .refine(({ status, files }) => status !== 'Completed' || files, 'a run that is Completed names its files')

/** A run as the service tells it. `files` comes once it is Completed, `records_completed` from newer servers. */
export type DownloadRunState = z.infer<typeof runSchema>

/** The service's file downloads of one project, by `file_download_batch_exports`. */
export class DownloadApi {
  readonly client: VendorClient
  /** Path of the list of runs. */
  readonly base: string

  constructor(client: VendorClient, projectId: string) {
    this.client = client
    this.base = `/api/projects/${encodeURIComponent(projectId)}/file_download_batch_exports/`
  }

  /** Asks whether the server has downloads at all. Throws NotOffered if not. */
  async probe(signal: AbortSignal): Promise<void> {
    await this.#json({ method: 'GET', path: `${this.base}?limit=1` }, listSchema, signal, unusual)
  }

  /** Orders a download of the events that the service stored in a span of time of at most seven days. Returns its id. */
  async order({ start, end }: WindowSpan, signal: AbortSignal): Promise<string> {
    const body = JSON.stringify({
      model: 'events',
      file: { format: 'JSONLines', compression: 'gzip', max_size_mb: FILE_MB },
      data_interval_start: new Date(start).toISOString(),
      data_interval_end: new Date(end).toISOString(),
    })
    const headers = { 'content-type': 'application/json' }
    const request = { method: 'POST', path: this.base, headers, body, wants: 202 } as const
    return (await this.#json(request, createdSchema, signal, unusual)).id
  }

  /** How far a run is. Throws Gone if the service doesn't know it any more. */
  run(id: string, signal: AbortSignal): Promise<DownloadRunState> {
    return this.#json({ method: 'GET', path: `${this.base}${id}/` }, runSchema, signal, gone)
  }

  /** Stops a run that nobody will fetch. */
  async cancel(id: string, signal: AbortSignal): Promise<void> {
    await this.#json({ method: 'POST', path: `${this.base}${id}/cancel/` }, statusSchema, signal)
  }

  /** The address of a file, signed for a few minutes. Throws Gone if the service has deleted it. */
  async address(id: string, file: string, signal: AbortSignal): Promise<URL> {
    const path = `${this.base}${id}/download/${file}/`
    const answer = await this.client.ask({ method: 'GET', path, wants: 302 }, signal, gone)
    await answer.text(0)
    const location = answer.headers.location
    const base = `${this.client.origin}${path}`
    if (location !== undefined && URL.canParse(location, base)) return new URL(location, base)
    throw cutShort(`${this.client.vendor} gave no address for the file`)
  }

  async #json<T>(
    request: VendorRequest,
    schema: z.ZodType<T>,
    signal: AbortSignal,
    expected?: Expected,
  ): Promise<T> {
    const said = `${this.client.vendor} answered a download with`
    const wanted = {
      ...{ ...request, expected, most: ANSWER_BYTES },
      read: (text: string) => schema.parse(JSON.parse(text)),
      tooLong: () => cutShort(`${said} over ${ANSWER_BYTES} bytes`),
      otherwise: `${said} something else`,
    }
    return await askJson(this.client, wanted, signal)
  }
}

/** What a span of insertion is called for people. */
export function spanText({ start, end }: WindowSpan): string {
  return `inserted ${formatUtc(start)} to ${formatUtc(end)}`
}

const unusual: Expected = (status, words, raw) => {
  const said = `PostHog answered ${status}${words ? `: ${words}` : ''}`
  if (status === 404) return new NotOffered(said, { code: 'unavailable', status })
  if (status === 500 && /failed to start/.test(raw))
    return new NotOffered(said, { code: 'unavailable', fate: 'retry', status })
  if (status === 403) {
    const hint = `give the key the scopes ${DOWNLOAD_SCOPES}, or export with --via query`
    return new VendorError(said, { code: 'auth', hint })
  }
  // This machine's clock is ahead.
  if (status === 400 && /is in the future/.test(raw))
    return new VendorError(said, { code: 'unavailable', fate: 'retry', status })
  return undefined
}

const gone: Expected = (status, words, raw) => {
  if (status !== 404 && !(status === 400 && /expired/.test(raw))) return undefined
  return new Gone(`PostHog answered ${status}: ${words}`, { code: 'unavailable', status })
}
