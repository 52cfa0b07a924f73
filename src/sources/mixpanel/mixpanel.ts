import { z } from 'zod'
import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Limit } from '../../http/rate-limiter.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import { monthsBefore } from '../../service/retention.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { plural } from '../../text/words.ts'
import { askReport } from '../answer-bytes.ts'
import { daysFrom, runsOf } from '../counts/day-zone.ts'
import { windowsFrom } from '../export-options.ts'
import type {
  CountedBy,
  DayCount,
  ExportOrder,
  ExportPiece,
  Question,
  QuotaMemory,
  Report,
  Source,
  VendorCall,
} from '../source.ts'
import {
  basic,
  type Credentials,
  cutShort,
  keptLimiter,
  loginBy,
  loginPlaces,
  type PacedWindows,
  startOfDay,
  VendorClient,
  VendorError,
} from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import { type Window, windowsOf } from '../window.ts'
import { type ExportFilter, exportDay, mixpanelExportPath } from './events.ts'
import { engagePages, engagePath } from './profiles.ts'
import { MIXPANEL_LIMITS, type MIXPANEL_ROWS, type ProfileKind } from './vendor.ts'

type MixpanelRegion = 'us' | 'eu' | 'in'

/** Where a region's raw export and its query interface are. */
const MIXPANEL_HOSTS: Readonly<Record<MixpanelRegion, { readonly data: string; readonly query: string }>> = {
  us: { data: 'https://data.mixpanel.com', query: 'https://mixpanel.com' },
  eu: { data: 'https://data-eu.mixpanel.com', query: 'https://eu.mixpanel.com' },
  in: { data: 'https://data-in.mixpanel.com', query: 'https://in.mixpanel.com' },
}

/** The quota of the query API: profiles and reports share it. */
const QUERY_QUOTA = 'engage'

/** Events can reach Mixpanel up to five days late. */
const LATE_MS = 5 * MS_PER_DAY

export interface MixpanelOptions extends PacedWindows {
  readonly hosts: { readonly data: string; readonly query: string }
  readonly region: MixpanelRegion
  readonly credentials: Credentials
  /** Needed with a service account. A project's own secret implies the project. */
  readonly projectId: string | undefined
  /** Only events with these names; empty for all. */
  readonly events: readonly string[]
  readonly profiles: readonly ProfileKind[]
}

/** An export of Mixpanel: a window for each day, and the profiles if they are wanted. */
export function mixpanelOrder(options: MixpanelOptions): ExportOrder {
  const { region, projectId, events } = options
  return {
    preset: 'mixpanel',
    identity: {
      vendor: 'mixpanel',
      region,
      ...(projectId !== undefined && { project: projectId }),
      ...(events.length > 0 && { events: JSON.stringify([...events].sort()) }),
    },
    open: (memory) => open(options, memory),
  }
}

function open(options: MixpanelOptions, memory: QuotaMemory): Source {
  const { hosts, credentials, quietMs, windows, profiles } = options
  const limiterOf = (quota: string) => keptLimiter(memory, quota, options, true)
  // The raw export and the query interface have quotas of their own.
  const limiter = limiterOf('export')
  const shared = { vendor: 'Mixpanel', credentials, quietMs }
  const data = new VendorClient({ ...shared, origin: hosts.data, limiter })
  const query = new VendorClient({ ...shared, origin: hosts.query, limiter: limiterOf(QUERY_QUOTA) })
  const old = oldDaysOf(options)
  const days = windows.map((window): ExportPiece => {
    const path = mixpanelExportPath(dayOf(window), options)
    return {
      name: window.name,
      asks: `GET ${hosts.data}${path}`,
      finalAt: window.end + LATE_MS,
      events: { span: window, by: MIXPANEL_COUNTED },
      fetch: async function* (call) {
        if (!old.days.includes(window) || (await old.areThere(data, call))) yield* exportDay(data, path, call)
      },
    }
  })
  const snapshots = profiles.map((kind): ExportPiece => {
    const path = engagePath(options.projectId)
    return {
      name: kind.name,
      asks: `POST ${hosts.query}${path}`,
      finalAt: 0,
      fetch: (call) => engagePages(query, path, kind, call),
    }
  })
  const close = async () => {
    await Promise.all([data.close(), query.close()])
  }
  return { pieces: [...days, ...snapshots], report: mixpanelReport(query, options), limiter, close }
}

const dayOf = ({ name }: Window) => ({ from: name, to: name })

/** Mixpanel keeps so much on its plans Free and Growth from August 2026 on: what is older comes empty, not as an error. */
const KEPT_MONTHS = 24

/** Whether a day lies before what the smaller plans keep. */
function isOld(now: number): (window: Window) => boolean {
  const floor = monthsBefore(now, KEPT_MONTHS)
  return ({ end }) => end <= floor
}

function daysBefore(days: readonly Window[]): string {
  const span = days.length === 1 ? days[0]!.name : `${days[0]!.name} to ${days.at(-1)!.name}`
  return `${plural(days.length, 'day')} of over two years ago (${span})`
}

/**
 * The days that the smaller plans do not keep, and whether the project has any event of them: that is asked once, for all of
 * them together, before any day is exported: a day costs a request, of which there are 60 an hour.
 */
function oldDaysOf(options: MixpanelOptions) {
  const days = options.windows.filter(isOld(options.clock.wall()))
  let asked: Promise<boolean> | undefined
  const ask = async (client: VendorClient, call: VendorCall): Promise<boolean> => {
    const span = { from: days[0]!.name, to: days.at(-1)!.name }
    const path = `${mixpanelExportPath(span, options)}&limit=1`
    try {
      for await (const chunk of exportDay(client, path, call)) {
        if (chunk.length === 0) continue
        call.note(`Mixpanel has events in ${daysBefore(days)}: each day is exported`)
        return true
      }
      call.note(
        `Mixpanel has no events in ${daysBefore(days)}: one request for all showed it, and they stay empty`,
      )
      return false
    } catch (error) {
      asked = undefined
      // What refuses so long a span says nothing of its days: each is asked.
      if (error instanceof VendorError && error.fate !== 'retry' && error.code !== 'auth') return true
      throw error
    }
  }
  return {
    days,
    areThere(client: VendorClient, call: VendorCall): Promise<boolean> {
      asked ??= ask(client, call)
      return asked
    },
  }
}

/** The first sign of what is packed, as text. */
const GZIP_BEGIN = '\u001f'

export const mixpanelWork: VendorWork<Values<typeof MIXPANEL_ROWS>> = {
  async order(values, world) {
    const { credentials, projectId } = await credentialsFrom(world)
    const { region, baseUrl } = values
    // Today can be exported too, if --to asks for it; the summary warns that it is not final.
    const windows = windowsFrom(values, MS_PER_DAY, startOfDay(Date.now()) + MS_PER_DAY)
    const oldDays = windows.filter(isOld(Date.now()))
    if (oldDays.length > 0) {
      world.note(
        `${daysBefore(oldDays)}: Mixpanel keeps two years on its plans Free and Growth, and older days come empty, not as an error; they are asked for first, all at once`,
      )
    }
    const order = mixpanelOrder({
      hosts: baseUrl === undefined ? MIXPANEL_HOSTS[region] : { data: baseUrl, query: baseUrl },
      region,
      credentials,
      projectId,
      events: values.event,
      windows,
      profiles: [...(values.profiles ? [{ name: 'profiles' }] : []), ...values.groupProfiles],
      limits: limitsOf(values.requestsPerHour),
      quietMs: values.timeout,
      clock: systemClock,
    })
    return { order }
  },

  /**
   * One record of a day, which counts as one of the 60 exports an hour (developer.mixpanel.com/reference/raw-event-export
   * has `limit`).
   */
  async logins(project, tools) {
    const { credentials, projectId } = await credentialsFrom(tools)
    const today = startOfDay(tools.clock.wall())
    const [window] = windowsOf(today - 2 * MS_PER_DAY, today - MS_PER_DAY, MS_PER_DAY)
    const path = `${mixpanelExportPath(dayOf(window!), { projectId, events: [] })}&limit=1`
    const about = projectId === undefined ? undefined : `project ${projectId}`
    return loginPlaces('Mixpanel', project, MIXPANEL_HOSTS, ({ data }) => data).map(([name, origin]) =>
      loginBy({ name, vendor: 'Mixpanel', origin, credentials }, tools, async (client, signal) => {
        const answer = await client.ask({ method: 'GET', path, headers: { accept: 'text/plain' } }, signal)
        const begin = await answer.text(1)
        const isPacked = answer.headers['content-encoding'] === 'gzip'
        if (begin === '' || begin === (isPacked ? GZIP_BEGIN : '{')) return about
        throw cutShort('Mixpanel answered 200, but with no events')
      }),
    )
  },
}

/** A little longer than the vendor's spans, because requests can arrive closer together than they leave. */
function limitsOf(perHour: number): Limit[] {
  return [
    { requests: perHour, perMs: MS_PER_HOUR + 5000 },
    { requests: MIXPANEL_LIMITS.perSecond, perMs: 1100 },
  ]
}

/** A service account with its project, or a project's own secret. Code `auth` if neither is whole. */
async function credentialsFrom({ env, stdin }: CredentialsFrom) {
  const secret = (variable: string) => readSecret({ variable }, env, stdin)
  const projectId = env.MIXPANEL_PROJECT_ID?.trim() || undefined
  const account = await secret('MIXPANEL_SERVICE_ACCOUNT')
  if (!account) {
    const apiSecret = await secret('MIXPANEL_API_SECRET')
    if (!apiSecret) throw lacking('no credentials for Mixpanel')
    return { credentials: basic(apiSecret, undefined), projectId }
  }
  const password = await secret('MIXPANEL_SERVICE_SECRET')
  if (!password) throw lacking('MIXPANEL_SERVICE_ACCOUNT is set, but MIXPANEL_SERVICE_SECRET is not')
  if (projectId === undefined)
    throw lacking('MIXPANEL_PROJECT_ID is not set: a service account does not say which project')
  return { credentials: basic(account, password), projectId }
}

function lacking(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'auth',
    hint: 'set MIXPANEL_PROJECT_ID, MIXPANEL_SERVICE_ACCOUNT and MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  })
}

/**
 * Mixpanel's reports show records in which these four are equal as one event; its raw export has all copies. An event
 * without an `$insert_id` is never taken for a copy (docs.mixpanel.com/reference/event-deduplication and
 * /troubleshooting/errors/duplicate-events).
 */
export const MIXPANEL_COUNTED: CountedBy = {
  event: 'event',
  times: [['properties', 'time']],
  identity: [
    ['properties', 'time'],
    ['properties', 'distinct_id'],
    ['properties', '$insert_id'],
  ],
  uncounted: [],
}

const EVENTS_PATH = '/api/query/events'
/** The longest path with its query: names are sent in it, and servers refuse longer ones. */
const MOST_PATH = 6000

const namesSchema = z.array(z.string())
const countsSchema = z.object({
  data: z.object({ values: z.record(z.string(), z.record(z.string(), z.int().min(0))) }),
})

const MOST_DAYS = 365
/** Most requests of one report: under the 60 an hour that the query API allows, with profiles of the same hour. */
const MOST_REQUESTS = 50
const MOST_NAMES = 1000

/**
 * The counts of Mixpanel's query API, by `GET /api/query/events` (docs.mixpanel.com/reference/list-recent-events): for
 * a JSON list of names, `type=general` and `unit=day` it answers `{data: {series, values: {<name>: {<day>: count}}}}`.
 *
 * - Its days are of the project's time zone, as all reports are. A project made before 2023 stores that zone's wall
 *   clock, so the times of its records are of those days; a newer one stores UTC.
 * - `GET /api/query/events/names` lists the most frequent names of late, so that a name of which nothing at all was
 *   exported is asked for too. It knows no name that has not come for a month.
 * - The quota is the query API's: 60 an hour and 5 at once (docs.mixpanel.com/reference/rate-limits). They are sent one
 *   by one, through the limiter that profiles use.
 */
export function mixpanelReport(client: VendorClient, filter: ExportFilter): Report {
  return {
    vendor: client.vendor,
    zone: undefined,
    settleMs: 0,
    ask: (question, call) => ask(client, filter, question, call),
  }
}

async function* ask(
  client: VendorClient,
  filter: ExportFilter,
  { first, last, events }: Question,
  call: VendorCall,
): AsyncGenerator<DayCount> {
  const known = { type: 'general', limit: String(MOST_NAMES) }
  const path = mixpanelPath(`${EVENTS_PATH}/names`, filter.projectId, known)
  const listed = filter.events.length > 0 ? filter.events : await askReport(client, path, namesSchema, call)
  const names = [...new Set([...events, ...listed])]
  for (const path of pathsOf(names, first, last, filter).slice(0, MOST_REQUESTS)) {
    const { data } = await askReport(client, path, countsSchema, call)
    for (const [event, byDay] of Object.entries(data.values)) {
      for (const [time, count] of Object.entries(byDay)) {
        const day = time.slice(0, 10)
        // Counts of other days would compare with nothing, and look as if nothing were missing.
        if (!(day >= first && day <= last)) {
          const message = `Mixpanel's report has other days than it was asked for: ${first} to ${last}`
          throw new VendorError(message, { code: 'unavailable' })
        }
        yield { day, event, count }
      }
    }
  }
}

/** The requests that ask for all names on all days, the most frequent names first. */
function pathsOf(
  names: readonly string[],
  first: string,
  last: string,
  { projectId }: ExportFilter,
): string[] {
  const pathOf = (event: readonly string[], from_date: string, to_date: string) => {
    const more = { event: JSON.stringify(event), type: 'general', unit: 'day', from_date, to_date }
    return mixpanelPath(EVENTS_PATH, projectId, more)
  }
  return namesByPath(names, (group) => pathOf(group, first, last)).flatMap((group) => {
    return runsOf(daysFrom(first, last), MOST_DAYS).map((days) => pathOf(group, days[0]!, days.at(-1)!))
  })
}

/** The path of a question, with the project if it is known: a project's own secret implies it. */
function mixpanelPath(
  path: string,
  projectId: string | undefined,
  query: Readonly<Record<string, string>>,
): string {
  return `${path}?${new URLSearchParams({ ...(projectId !== undefined && { project_id: projectId }), ...query })}`
}

/** Names in groups whose paths are not too long. A name that makes a path too long is a group of its own. */
function namesByPath(names: readonly string[], pathOf: (group: readonly string[]) => string): string[][] {
  const groups: string[][] = []
  for (const name of names) {
    const group = groups.at(-1)
    if (group && pathOf([...group, name]).length <= MOST_PATH) group.push(name)
    else groups.push([name])
  }
  return groups
}
