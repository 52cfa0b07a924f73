import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import type { Secret } from '../../http/secret.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import { checkPersonalKey } from '../../options/service-settings.ts'
import { parseOrigin } from '../../options/values.ts'
import { Api } from '../../service/api.ts'
import { ServiceError } from '../../service/errors.ts'
import { Groups } from '../../service/groups.ts'
import { projectById } from '../../service/key-owner.ts'
import { type Retention, retentionOf } from '../../service/retention.ts'
import { openStore } from '../../store/open.ts'
import { MS_PER_DAY, MS_PER_HOUR, MS_PER_MINUTE } from '../../text/units.ts'
import { plural, span } from '../../text/words.ts'
import { windowsFrom } from '../export-options.ts'
import { ExportState } from '../export-state.ts'
import type { ExportOrder } from '../source.ts'
import { bearer, cutShort, loginBy, startOfDay } from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork, World } from '../vendor-source.ts'
import { NotOffered } from './download-api.ts'
import { type DownloadOptions, downloadsOrder, firstDownload } from './downloads.ts'
import { posthogOrder } from './posthog.ts'
import { queryPath, queryRows } from './query.ts'
import { POSTHOG_LIMITS, type POSTHOG_ROWS } from './vendor.ts'

type PostHogValues = Values<typeof POSTHOG_ROWS>

export const posthogWork: VendorWork<PostHogValues> = {
  async order(values, world) {
    const { host, projectId, key } = await projectFrom(world, values.baseUrl)
    const retention = await retentionThere(host, projectId, key, world)
    const against = retention && notShown(retention, values, world)
    if (against && !values.dryRun) throw against
    const api = values.groups ? apiOf(host, key, world) : undefined
    const options = {
      host,
      projectId,
      credentials: bearer(key),
      windows: windowsFrom(values, values.window, startOfDay(Date.now()) + MS_PER_DAY),
      spanMs: values.window,
      persons: values.persons,
      groups: api && new Groups({ api, projectId }),
      limits: [
        { requests: values.requestsPerHour, perMs: MS_PER_HOUR },
        { requests: POSTHOG_LIMITS.perMinute, perMs: MS_PER_MINUTE },
      ],
      quietMs: values.timeout,
      clock: systemClock,
    }
    const downloads = { ...options, to: values.to }
    const order =
      values.via === 'query' ? posthogOrder(options) : await downloadsOrQuery(downloads, values, world)
    if (values.persons && order.identity.via === 'downloads') world.note(PERSONS_BY_QUERY)
    const about = retention && { retention_months: String(retention.months), shown_from: retention.firstDay }
    return { order: about ? { ...order, about } : order, against, ...(api && { close: () => api.close() }) }
  },

  /** A query of one row. */
  async logins({ baseUrl }, tools) {
    const { host, projectId, key } = await projectFrom(tools, baseUrl)
    const of = { name: 'PostHog', vendor: 'PostHog', origin: host, credentials: bearer(key) }
    const login = loginBy(of, tools, async (client, signal) => {
      const path = queryPath(projectId)
      const rows = await queryRows({ client, path }, { sql: 'SELECT 1', columns: 1 }, { signal })
      if (rows[0]?.[0] !== 1) throw cutShort('PostHog answered 200, but with no row')
      return `project ${projectId}`
    })
    return [login]
  },
}

/** What the project hides; undefined where it shows all, or can't say. */
async function retentionThere(
  host: string,
  projectId: string,
  key: Secret,
  world: World,
): Promise<Retention | undefined> {
  const api = apiOf(host, key, world)
  try {
    return retentionOf(await projectById(api, projectId, true), Date.now())
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    // A server that is away, or a wrong key, is told by the first query.
    if (error instanceof ServiceError && error.status === 403)
      world.note(`could not ask whether the project hides old events: ${error.message}`)
    return undefined
  } finally {
    await api.close()
  }
}

/** The error `found` for days that no query shows as a whole. A folder would seem to hold all of them. */
function notShown(
  { months, floor, firstDay }: Retention,
  { from, accept }: PostHogValues,
  world: World,
): PosthaulError | undefined {
  if (from >= floor) return undefined
  const text = `the project shows events from ${firstDay} on: older ones are hidden by its retention (${plural(months, 'month')}), and no query or download has them`
  if (accept.includes('hidden_events')) {
    world.note(text)
    return undefined
  }
  return new PosthaulError(`${text}; nothing was exported`, {
    code: 'found',
    finding: 'hidden_events',
    hint:
      `take older events from files that a batch export of the project has written (transform --preset posthog reads them); ` +
      `export what it shows with --from ${firstDay}, or add --accept hidden_events`,
  })
}

/** The order by downloads; or by query, which is said, if the server makes none. A folder that holds an export goes on as it began. */
async function downloadsOrQuery(
  options: DownloadOptions,
  values: PostHogValues,
  world: World,
): Promise<ExportOrder> {
  const order = downloadsOrder(options)
  if (values.dryRun) return order
  const store = await openStore(values.out)
  const begun = await ExportState.identityIn(store)
  if (begun?.via !== undefined) return order
  if (begun) {
    world.note(`${values.out} holds an export by the query endpoint, and goes on by it`)
    return posthogOrder(options)
  }
  try {
    const first = await firstDownload(options, {
      retryForMs: values.retryFor,
      clock: systemClock,
      random: Math.random,
      signal: world.interrupted,
      onRetry: (error, waitMs) => world.note(`${error.message}; trying again in ${span(waitMs)}`),
    })
    return downloadsOrder({ ...options, first })
  } catch (error) {
    if (!(error instanceof NotOffered)) throw error
    world.note(`this server makes no file downloads (${error.message}): by the query endpoint`)
    return posthogOrder(options)
  }
}

/** Why persons are not taken as files: docs/how-it-works.md says it in full. */
const PERSONS_BY_QUERY =
  "persons come by the query endpoint: a download of them doesn't tell which of their ids are deleted, and would have to " +
  'cover every week since the project began'

/** Waits that are shorter than this are not worth a line. */
const TOLD_FROM_MS = 2000

/** The source's project API, which knows the names of its group types. */
function apiOf(
  host: string,
  personalKey: Secret,
  { interrupted, note }: Pick<World, 'interrupted' | 'note'>,
): Api {
  const origin = { value: host, from: 'POSTHOG_SOURCE_HOST', source: 'env' as const }
  return new Api({
    settings: { origin, personalKey, projectId: undefined },
    signal: interrupted,
    onWait: ({ ms, why }) => {
      if (ms >= TOLD_FROM_MS) note(`waiting ${Math.ceil(ms / 1000)} s: ${why}`)
    },
  })
}

/** The project to export: its address, its id and a personal key. Code `auth` or `config` for what is missing. */
async function projectFrom({ env, stdin }: CredentialsFrom, baseUrl: string | undefined) {
  const key = await readSecret({ variable: 'POSTHOG_SOURCE_API_KEY' }, env, stdin)
  const projectId = env.POSTHOG_SOURCE_PROJECT_ID?.trim()
  const host = env.POSTHOG_SOURCE_HOST?.trim()
  if (!key) throw lacking('no key for the project to export', 'auth')
  if (!projectId) throw lacking('no project to export', 'config')
  if (!/^\d{1,18}$/.test(projectId))
    throw lacking('POSTHOG_SOURCE_PROJECT_ID is not the number of a project', 'config')
  if (!host && baseUrl === undefined) throw lacking('no address of the project to export', 'config')
  const origin = baseUrl ?? parseOrigin(host!, 'POSTHOG_SOURCE_HOST')
  checkPersonalKey(key, origin)
  return { host: origin, projectId, key }
}

function lacking(message: string, code: 'auth' | 'config'): PosthaulError {
  const hint = 'set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY'
  return new PosthaulError(message, { code, hint })
}
