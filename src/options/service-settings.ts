import type { Readable } from 'node:stream'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import { type Options, type Resolved, SOURCES } from './options.ts'
import { readSecret } from './read-secret.ts'
import { type Values, withoutFlag } from './row.ts'
import * as rows from './service-rows.ts'

type Region = 'us' | 'eu'

/** The two addresses of an installation: events go to one, everything else to the other. */
interface Hosts {
  readonly ingest: string
  readonly api: string
}

/** The cloud's addresses. */
const CLOUD: Readonly<Record<Region, Hosts>> = {
  us: { ingest: 'https://us.i.posthog.com', api: 'https://us.posthog.com' },
  eu: { ingest: 'https://eu.i.posthog.com', api: 'https://eu.posthog.com' },
}

/** Users paste any of the cloud's addresses. The old app host is that of the US. */
const CLOUD_ADDRESS = /^https:\/\/(us|eu|app)(?:\.i)?\.posthog\.com$/

/** Both addresses of an installation, from one of them: its region's in the cloud, else the same host for both. */
function hostsOf(origin: string): Hosts {
  const [, name] = CLOUD_ADDRESS.exec(origin) ?? []
  return name === undefined ? { ingest: origin, api: origin } : CLOUD[name === 'eu' ? 'eu' : 'us']
}

/** Where events are sent, and with which key. */
export interface IngestSettings {
  readonly origin: Resolved<string>
  readonly projectKey: Secret
}

/** Where the project's data is read, with which key, and of which project (when one is named). */
export interface ApiSettings {
  readonly origin: Resolved<string>
  readonly personalKey: Secret
  readonly projectId: Resolved<string> | undefined
}

/** The options of a command that sends events. */
export const INGEST_ROWS = [
  rows.REGION,
  rows.HOST,
  rows.INGEST_HOST,
  rows.PROJECT_KEY_STDIN,
  rows.CONFIG,
  rows.PROJECT_KEY_FILE,
] as const

/** The options of a command that reads the project. */
export const API_ROWS = [
  rows.REGION,
  rows.HOST,
  rows.PROJECT_ID,
  rows.PERSONAL_KEY_STDIN,
  rows.CONFIG,
  rows.PERSONAL_KEY_FILE,
] as const

/** The project's settings, for a command that can do without them. It reads them, and its help does not list them. */
export const OPTIONAL_API_ROWS = [withoutFlag(rows.PROJECT_ID), rows.PERSONAL_KEY_FILE] as const

/** The options of a command that reads what the key may see, whichever the project. */
export const EVERY_PROJECT_ROWS = [
  rows.REGION,
  rows.HOST,
  rows.PERSONAL_KEY_STDIN,
  rows.CONFIG,
  ...OPTIONAL_API_ROWS,
] as const

type AddressValues = Values<readonly [typeof rows.REGION, typeof rows.HOST]>
/** The values of what a reader of the project needs. */
export type ReaderValues = AddressValues &
  Values<typeof OPTIONAL_API_ROWS> & { readonly personalKeyStdin?: boolean }

/** The values of what a sender of events needs. */
export type SenderValues = Values<typeof INGEST_ROWS>

/** Resolves what sending events needs. Throws `config` or `auth` errors that name the setting at fault. */
export async function ingestSettings(
  options: Options<SenderValues>,
  stdin: Readable & { isTTY?: boolean },
): Promise<IngestSettings> {
  const origin = ingestAddress(options)
  const projectKey = await projectKeyIfAny(options, stdin)
  if (projectKey) return { origin, projectKey }
  throw new PosthaulError('no project key: the service needs one to know whose events these are', {
    code: 'auth',
    hint: 'set POSTHOG_PROJECT_API_KEY, or name a 0600 file in POSTHOG_PROJECT_API_KEY_FILE, or pipe it to --project-key-stdin (project settings, "Project API key", phc_…)',
  })
}

/** Where events go. Throws `config` if nothing says it, or two settings say different things. */
export function ingestAddress(options: Options<SenderValues>): Resolved<string> {
  return address('ingest', options, options.resolved.ingestHost)
}

/** The project key; undefined if none is set. Throws for one that can't be a project key. */
export async function projectKeyIfAny(
  options: Options<SenderValues>,
  stdin: Readable & { isTTY?: boolean },
): Promise<Secret | undefined> {
  const spec = {
    variable: 'POSTHOG_PROJECT_API_KEY',
    file: options.resolved.projectKeyFile,
    fromStdin: options.values.projectKeyStdin,
  }
  const projectKey = options.keys?.[spec.variable] ?? (await readSecret(spec, options.env, stdin))
  if (projectKey) checkProjectKey(projectKey)
  return projectKey
}

/** Resolves what reading the project needs: the API's address and a personal key. */
export async function apiSettings(
  options: Options<ReaderValues>,
  stdin: Readable & { isTTY?: boolean },
): Promise<ApiSettings> {
  const settings = await apiSettingsIfAny(options, stdin)
  if (settings) return settings
  const origin = address('api', options)
  throw new PosthaulError('no personal key: the service needs one to show groups and counts', {
    code: 'auth',
    hint: `make one at ${origin.value}/settings/user-api-keys and set POSTHOG_PERSONAL_API_KEY, or name a 0600 file in POSTHOG_PERSONAL_API_KEY_FILE`,
  })
}

/** The same if a personal key is set; undefined if none is. */
export async function apiSettingsIfAny(
  options: Options<ReaderValues>,
  stdin: Readable & { isTTY?: boolean },
): Promise<ApiSettings | undefined> {
  const spec = {
    variable: 'POSTHOG_PERSONAL_API_KEY',
    file: options.resolved.personalKeyFile,
    fromStdin: options.values.personalKeyStdin ?? false,
  }
  const given = options.keys?.[spec.variable]
  const personalKey = given ?? (await readSecret(spec, options.env, stdin))
  if (!personalKey) return undefined
  const origin = address('api', options)
  checkPersonalKey(personalKey, origin.value)
  return { origin, personalKey, projectId: options.resolved.projectId }
}

const KINDS = { phc_: 'a project key', phx_: 'a personal key', phs_: 'a project secret key' } as const

/** The kind of a key, by how it begins, where it is one of these. */
function kindOf(key: Secret, prefixes: readonly (keyof typeof KINDS)[]): string | undefined {
  const prefix = prefixes.find((one) => key.reveal().startsWith(one))
  return prefix && `${KINDS[prefix]} (${prefix})`
}

/** Throws `auth` for a key of a project: it can't read one at `origin`. */
export function checkPersonalKey(key: Secret, origin: string): void {
  const kind = kindOf(key, ['phc_', 'phs_'])
  if (kind === undefined) return
  throw new PosthaulError(`the key from ${key.from} is ${kind}; reading needs a personal one`, {
    code: 'auth',
    hint: `make a personal key (phx_) at ${origin}/settings/user-api-keys`,
  })
}

function checkProjectKey(key: Secret): void {
  const value = key.reveal()
  const kind = kindOf(key, ['phx_', 'phs_'])
  if (kind === undefined && value.length <= 64 && !/["'=]/.test(value)) return
  const is = kind ?? 'no project key: it has quotes or a name around it, or over 64 characters'
  throw new PosthaulError(`the key from ${key.from} is ${is}; sending needs the project's`, {
    code: 'auth',
    hint: 'use the "Project API key" of the project settings alone; it starts with phc_',
  })
}

// There is no default region: the wrong region answers 200 to another region's key, and the events are lost.
function address(
  which: keyof Hosts,
  options: Options<AddressValues>,
  ingestHost?: Resolved<string>,
): Resolved<string> {
  const given = [ingestHost, options.resolved.host, options.resolved.region]
  // Only the strongest source counts: --region on the command line does not contradict POSTHOG_HOST.
  const strongest = SOURCES.find((source) => given.some((one) => one?.source === source))
  const [ingest, host, region] = given.map((one) => (one?.source === strongest ? one : undefined))
  const ofRegion = region && CLOUD[region.value as Region][which]
  const origin = ingest?.value ?? (host && hostsOf(host.value)[which])
  // An ingest host together with a region is usual: a proxy. A host together with another region is a mistake.
  if (!ingest && host && ofRegion !== undefined && origin !== ofRegion) {
    throw new PosthaulError(`${host.from} is ${host.value}, but ${region?.from} says ${region?.value}`, {
      code: 'config',
      hint: 'drop one of the two',
    })
  }
  const decided = ingest ?? host ?? region
  const value = origin ?? ofRegion
  if (decided && value !== undefined) return { ...decided, value }
  throw new PosthaulError(`no address: say where the ${which === 'ingest' ? 'events go' : 'project is'}`, {
    code: 'config',
    hint: `set ${rows.REGION.env} to us or eu, or ${rows.HOST.env} to your own installation's address`,
  })
}
