import { RateLimiter } from '../../http/rate-limiter.ts'
import { AMPLITUDE_HOSTS } from '../../sources/amplitude/amplitude.ts'
import { exportPath as amplitudePath } from '../../sources/amplitude/events.ts'
import { openMatomo, siteOf } from '../../sources/matomo/matomo.ts'
import { exportPath as mixpanelPath } from '../../sources/mixpanel/events.ts'
import { MIXPANEL_HOSTS } from '../../sources/mixpanel/mixpanel.ts'
import { queryPath, queryRows } from '../../sources/posthog/query.ts'
import { bearer, type Credentials, VendorClient } from '../../sources/vendor-client.ts'
import {
  amplitudeCredentials,
  matomoToken,
  mixpanelCredentials,
  posthogSource,
} from '../../sources/vendor-credentials.ts'
import { VendorError } from '../../sources/vendor-error.ts'
import { windowsOf } from '../../sources/window.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import type { VendorProject } from './subject.ts'
import type { Tools } from './tools.ts'

type Project<Name extends VendorProject['vendor']> = Extract<VendorProject, { vendor: Name }>

/** A place where a vendor can be asked, and what its answer says: who it is that was let in. */
export interface Login {
  /** As a user calls it: `Mixpanel (eu)`. */
  readonly name: string
  readonly origin: string
  /** Asks once. Resolves to what is known of the project then, throws a VendorError or a NetworkError otherwise. */
  ask(signal: AbortSignal): Promise<string | undefined>
}

/**
 * The places where credentials are tried: several, of which one is to let them in, where no region is named. Each is asked
 * for the very thing that an export asks for, but for as little of it as there is. Code `auth` or `config` for
 * credentials that are not whole; undefined if too little is known to ask anybody.
 */
export async function loginsOf(project: VendorProject, tools: Tools): Promise<readonly Login[] | undefined> {
  if (project.vendor === 'mixpanel') return mixpanel(project, tools)
  if (project.vendor === 'amplitude') return amplitude(project, tools)
  if (project.vendor === 'matomo') return matomo(project, tools)
  return posthog(project, tools)
}

/**
 * Mixpanel: one record of a day, which counts as one of its 60 exports an hour
 * (developer.mixpanel.com/reference/raw-event-export has `limit`).
 */
async function mixpanel({ region, baseUrl }: Project<'mixpanel'>, tools: Tools): Promise<Login[]> {
  const { credentials, projectId } = await mixpanelCredentials(tools)
  const today = startOfDay(tools)
  const [window] = windowsOf(today - 2 * MS_PER_DAY, today - MS_PER_DAY, MS_PER_DAY)
  const path = `${mixpanelPath(window!, { projectId, events: [] })}&limit=1`
  const about = projectId === undefined ? undefined : `project ${projectId}`
  const at = (name: string, origin: string): Login => ({
    name,
    origin,
    ask: (signal) =>
      withClient({ vendor: 'Mixpanel', origin, credentials }, tools, async (client) => {
        const answer = await client.ask({ method: 'GET', path, headers: { accept: 'text/plain' } }, signal)
        await answer.text(1)
        return about
      }),
  })
  return placesOf('Mixpanel', region, baseUrl, MIXPANEL_HOSTS, ({ data }) => data).map(([name, origin]) =>
    at(name, origin),
  )
}

/** Amplitude was founded in 2012. No project has events of this hour, and whoever may export it gets 404. */
const BEFORE_AMPLITUDE = Date.UTC(2011, 0, 1)

/** Amplitude: an hour in which there is nothing, since one that holds events is prepared as a whole. */
async function amplitude({ region, baseUrl }: Project<'amplitude'>, tools: Tools): Promise<Login[]> {
  const { credentials } = await amplitudeCredentials(tools)
  const path = amplitudePath(BEFORE_AMPLITUDE, BEFORE_AMPLITUDE + MS_PER_HOUR)
  const at = (name: string, origin: string): Login => ({
    name,
    origin,
    ask: (signal) =>
      withClient({ vendor: 'Amplitude', origin, credentials }, tools, async (client) => {
        await client.ask({ method: 'GET', path }, signal, nothingThere).catch((error: unknown) => {
          if (!(error instanceof NothingThere)) throw error
        })
        return undefined
      }),
  })
  return placesOf('Amplitude', region, baseUrl, AMPLITUDE_HOSTS, (host) => host).map(([name, origin]) =>
    at(name, origin),
  )
}

class NothingThere extends VendorError {}

// 400: some of its servers refuse an hour that is so long ago, after they have looked at the keys.
const nothingThere = (status: number, words: string) =>
  status === 404 || status === 400 ? new NothingThere(words, { code: 'unavailable' }) : undefined

/** Matomo: the site's own entry, which says its name too. */
async function matomo({ url, site, baseUrl }: Project<'matomo'>, tools: Tools): Promise<Login[] | undefined> {
  const token = await matomoToken(tools)
  if (url === undefined || site === undefined) return undefined
  const ask = async (signal: AbortSignal) => {
    const opened = openMatomo({
      url,
      origin: baseUrl,
      token,
      limiter: unlimited(tools),
      quietMs: tools.patienceMs,
    })
    try {
      const { name } = await siteOf(opened, site, signal)
      return typeof name === 'string' ? `site ${site}, "${name}"` : `site ${site}`
    } finally {
      await opened.client.close()
    }
  }
  return [{ name: 'Matomo', origin: baseUrl ?? new URL(url).origin, ask }]
}

/** Another project of the service: a query of one row. */
async function posthog({ baseUrl }: Project<'posthog'>, tools: Tools): Promise<Login[]> {
  const { host, projectId, key } = await posthogSource(tools, baseUrl)
  const ask = (signal: AbortSignal) =>
    withClient({ vendor: 'PostHog', origin: host, credentials: bearer(key) }, tools, async (client) => {
      await queryRows(client, queryPath(projectId), 'SELECT 1', 1, { signal })
      return `project ${projectId}`
    })
  return [{ name: 'PostHog', origin: host, ask }]
}

/** The vendor's addresses by name: one that is named, else those of all regions. */
function placesOf<Host>(
  vendor: string,
  region: string | undefined,
  baseUrl: string | undefined,
  hosts: Readonly<Record<string, Host>>,
  originOf: (host: Host) => string,
): (readonly [name: string, origin: string])[] {
  if (baseUrl !== undefined) return [[vendor, baseUrl]]
  return Object.entries(hosts)
    .filter(([name]) => region === undefined || name === region)
    .map(([name, host]) => [`${vendor} (${name})`, originOf(host)] as const)
}

interface ClientOf {
  readonly vendor: string
  readonly origin: string
  readonly credentials: Credentials
}

async function withClient<T>(
  of: ClientOf,
  tools: Tools,
  work: (client: VendorClient) => Promise<T>,
): Promise<T> {
  const client = new VendorClient({ ...of, limiter: unlimited(tools), quietMs: tools.patienceMs })
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

/** One request needs no quota. */
const unlimited = ({ clock }: Tools) => new RateLimiter({ limits: [], clock })

function startOfDay({ clock }: Tools): number {
  const now = clock.wall()
  return now - (now % MS_PER_DAY)
}
