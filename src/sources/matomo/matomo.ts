import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Secret } from '../../http/secret.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import { elements, members } from '../../record/json-values.ts'
import { isTimeZone, zoneOffsetMicros } from '../../record/zone.ts'
import { MIB, MICROS_PER_MS, MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { askJson } from '../answer-bytes.ts'
import { windowsFrom } from '../export-options.ts'
import type { ExportOrder, ExportPiece, PieceCall, QuotaMemory, Source } from '../source.ts'
import {
  cutShort,
  keptLimiter,
  loginBy,
  type PacedWindows,
  startOfDay,
  VendorClient,
  VendorError,
} from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import type { Window } from '../window.ts'
import type { MATOMO_ROWS } from './vendor.ts'

export interface MatomoOptions extends PacedWindows {
  /** Address of the Matomo without a slash at its end: it becomes part of the events' ids. */
  readonly url: string
  /** Where requests go in its place; the same if left out. */
  readonly origin: string | undefined
  readonly site: string
  readonly token: Secret
}

/** No zone is further from UTC. */
const FURTHEST_MS = 14 * MS_PER_HOUR

/** An export of a Matomo: a window for each day of the site's own zone. */
export function matomoOrder(options: MatomoOptions): ExportOrder {
  const { url, site } = options
  return {
    preset: 'matomo',
    identity: { vendor: 'matomo', url, site },
    open: (memory) => open(options, memory),
  }
}

function open(options: MatomoOptions, memory: QuotaMemory): Source {
  const { url, site, clock, quietMs, windows } = options
  const limiter = keptLimiter(memory, 'export', options)
  const client = new VendorClient({ ...serverOf(options), limiter, quietMs })
  const matomo = matomoBy(client, options)
  const { path } = matomo
  let zone: Promise<string | undefined> | undefined
  const pieces = windows.map((window): ExportPiece => {
    return {
      name: window.name,
      asks: `POST ${client.origin}${path} Live.getLastVisitsDetails idSite=${site} date=${window.name}`,
      // The export itself waits for the end of the day in the site's zone.
      finalAt: 0,
      async *fetch(call) {
        zone ??= zoneOf(matomo, site, call.signal)
        const timezone = await zone.catch((error: unknown) => {
          zone = undefined
          throw error
        })
        assertOver(window, timezone, clock.wall())
        const from = { base_url: url, ...(timezone !== undefined && { timezone }) }
        yield* visitsOfDay(matomo, { site, day: window.name }, from, call)
      },
    }
  })
  const unchecked = { vendor: 'Matomo', reason: 'its reports count visits and not the actions in them' }
  return { pieces, unchecked, limiter, close: () => client.close() }
}

/** Where requests go, and what must not be shown of them. */
function serverOf({ url, origin, token }: Pick<MatomoOptions, 'url' | 'origin' | 'token'>) {
  return { vendor: 'Matomo', origin: origin ?? new URL(url).origin, credentials: { secrets: [token] } }
}

function matomoBy(client: VendorClient, { url, token }: Pick<MatomoOptions, 'url' | 'token'>): Matomo {
  return { client, path: `${new URL(url).pathname.replace(/\/$/, '')}/index.php`, token: token.reveal() }
}

/** What Matomo says of a site. Code `auth` or `config` if it does not show it. */
export async function siteOf(
  matomo: Matomo,
  site: string,
  signal: AbortSignal,
): Promise<{ readonly name?: unknown; readonly timezone?: unknown }> {
  const answer = await askMatomo(matomo, 'SitesManager.getSiteFromId', { idSite: site }, signal)
  if ('refusal' in answer) throw refusal(matomo.client, answer.refusal)
  const { value } = answer
  const found = ((Array.isArray(value) ? value[0] : value) ?? {}) as Record<string, unknown>
  if (String(found.idsite) === site) return found
  throw cutShort(`${matomo.client.vendor} answered 200, but not with site ${site}`)
}

/** The site's zone; undefined for one that has no name, such as UTC+2. */
async function zoneOf(matomo: Matomo, site: string, signal: AbortSignal): Promise<string | undefined> {
  const { timezone } = await siteOf(matomo, site, signal)
  return typeof timezone === 'string' && isTimeZone(timezone) ? timezone : undefined
}

/** Visits move between pages while their day is open. */
function assertOver({ name, end }: Window, zone: string | undefined, now: number): void {
  const over =
    zone === undefined ? end + FURTHEST_MS : end - zoneOffsetMicros(end * MICROS_PER_MS, zone) / MICROS_PER_MS
  if (now >= over) return
  throw new VendorError(`${name} is not over yet in the site's time zone (${zone ?? 'which has no name'})`, {
    code: 'usage',
    hint: 'end a day earlier: give --to that day',
  })
}

export const matomoWork: VendorWork<Values<typeof MATOMO_ROWS>> = {
  async order(values, world) {
    const order = matomoOrder({
      url: values.url,
      origin: values.baseUrl,
      site: String(values.site),
      token: await tokenFrom(world),
      windows: windowsFrom(values, MS_PER_DAY, startOfDay(Date.now())),
      limits: [{ requests: values.requestsPerHour, perMs: MS_PER_HOUR }],
      quietMs: values.timeout,
      clock: systemClock,
    })
    return { order }
  },

  /** The site's own entry, which says its name too. */
  async logins({ url, site, baseUrl }, tools) {
    const token = await tokenFrom(tools)
    if (url === undefined || site === undefined) return undefined
    const login = loginBy(
      { name: 'Matomo', ...serverOf({ url, origin: baseUrl, token }) },
      tools,
      async (client, signal) => {
        const { name } = await siteOf(matomoBy(client, { url, token }), site, signal)
        return typeof name === 'string' ? `site ${site}, "${name}"` : `site ${site}`
      },
    )
    return [login]
  },
}

/** The token of a user of a Matomo. Code `auth` if there is none. */
async function tokenFrom({ env, stdin }: CredentialsFrom): Promise<Secret> {
  const token = await readSecret({ variable: 'MATOMO_TOKEN' }, env, stdin)
  if (token) return token
  throw new PosthaulError('no credentials for Matomo', {
    code: 'auth',
    hint: 'set MATOMO_TOKEN: Personal, Security, Auth tokens in Matomo makes one',
  })
}

/** A Matomo: its client, the path of its index.php, and the token, which goes into bodies only. */
interface Matomo {
  readonly client: VendorClient
  readonly path: string
  readonly token: string
}

// No text of JavaScript has twice as many.
const MOST_BYTES = 256 * MIB

/** Calls a method of the reporting API: its answer, or its words where it refuses, which it does with the status 200. */
async function askMatomo(
  { client, path, token }: Matomo,
  method: string,
  parameters: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<{ readonly json: string; readonly value: unknown } | { readonly refusal: string }> {
  const form = new URLSearchParams({ module: 'API', method, format: 'JSON', language: 'en', ...parameters })
  form.set('token_auth', token)
  const request = {
    ...{ method: 'POST' as const, path, body: form.toString(), most: MOST_BYTES },
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    read: (text: string) => ({ json: text.trim(), value: JSON.parse(text) as unknown }),
    tooLong: () => new VendorError(`${client.vendor}: a page of visits is too long`, { code: 'config' }),
    otherwise: `${client.vendor} answered 200, but its JSON is cut short`,
  }
  const answer = await askJson(client, request, signal)
  const { value } = answer
  const { result, message } = (Array.isArray(value) ? {} : (value ?? {})) as Record<string, unknown>
  return result === 'error' ? { refusal: String(message) } : answer
}

/** The elements of an answer that is an array, as written. */
function elementsOf(json: string, { vendor }: VendorClient): readonly string[] {
  if (!json.startsWith('[')) throw cutShort(`${vendor} answered 200, but with no list of visits`)
  // Valid JSON has line breaks only between values: inside a line they would end it.
  return elements(json).map((visit) => visit.replaceAll(/[\r\n]/g, ' '))
}

function refusal(client: VendorClient, words: string): VendorError {
  const said = `${client.vendor} refused: ${client.redact(words)}`
  if (/deactivat|disabled/i.test(words)) {
    return new VendorError(said, {
      code: 'config',
      hint: 'the visits log is switched off: switch it on in Administration, Privacy, or read the database',
    })
  }
  if (/token|access|authenticat|view permission/i.test(words)) {
    return new VendorError(said, {
      code: 'auth',
      hint: 'check MATOMO_TOKEN, and that its user may view this site',
    })
  }
  return new VendorError(said, { code: 'config', hint: 'check --url and --site' })
}

/** Visits asked for at once, to begin with. */
const PAGE = 500
/** What Matomo says when a query took longer than `live_query_max_execution_time`. */
const TOO_LONG = /execution_time|execution time|took too long|timed? ?out|too many (?:visits|rows)|\blimit\b/i

/** All visits of a site's own day, a line each, as Matomo has them; `from` is added to each as its member `(export)`. */
export async function* visitsOfDay(
  matomo: Matomo,
  { site, day }: { readonly site: string; readonly day: string },
  from: Readonly<Record<string, string>>,
  call: PieceCall,
): AsyncGenerator<Buffer> {
  const end = `,"(export)":${JSON.stringify(from)}}\n`
  const seen = new Set<string>()
  let limit = PAGE
  for (let offset = 0; ; ) {
    const page = {
      ...{ idSite: site, period: 'day', date: day, filter_sort_order: 'asc' },
      ...{ filter_limit: String(limit), filter_offset: String(offset) },
    }
    const answer = await askMatomo(matomo, 'Live.getLastVisitsDetails', page, call.signal)
    if ('refusal' in answer) {
      limit = halved(matomo, answer.refusal, limit, day)
      continue
    }
    const visits = elementsOf(answer.json, matomo.client)
    for (const visit of visits) {
      const id = members(visit).find(([name]) => name === 'idVisit')?.[1]
      if (!/^["\d]/.test(id ?? '')) throw cutShort(`${matomo.client.vendor} answered 200, but with no visits`)
      if (seen.has(id!))
        throw cutShort(`${matomo.client.vendor} gave a visit of ${day} twice: its pages moved`)
      seen.add(id!)
      yield Buffer.from(visit.slice(0, visit.lastIndexOf('}')) + end)
    }
    if (visits.length < limit) return
    offset += visits.length
  }
}

/** A shorter page, where the long one took Matomo too long. */
function halved(matomo: Matomo, words: string, limit: number, day: string): number {
  if (!TOO_LONG.test(words)) throw refusal(matomo.client, words)
  if (limit > 1) return Math.ceil(limit / 2)
  throw new VendorError(
    `${matomo.client.vendor} can't give a single visit of ${day}: ${matomo.client.redact(words)}`,
    { code: 'config', fate: 'reject', hint: 'raise live_query_max_execution_time in its config' },
  )
}
