import type { Readable } from 'node:stream'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import { CLOUD, type Hosts, hostsOf, parseOrigin } from './hosts.ts'
import { readSecret } from './read-secret.ts'
import { type Resolved, resolve, type Setting, type Sources, type Tier } from './resolve.ts'
import { oneOf, text } from './values.ts'

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

const REGION = { flag: 'region', env: 'POSTHOG_REGION', file: 'region', parse: oneOf('us', 'eu') } as const
const HOST = { flag: 'host', env: 'POSTHOG_HOST', file: 'host', parse: text } as const
const INGEST_HOST = {
  flag: 'ingestHost',
  env: 'POSTHOG_INGEST_HOST',
  file: 'ingestHost',
  parse: text,
} as const
const PROJECT_ID = {
  flag: 'projectId',
  env: 'POSTHOG_PROJECT_ID',
  file: 'projectId',
  parse: (value: string) => {
    if (/^\d{1,18}$/.test(value) || value === '@current') return value
    throw new RangeError('expected the number that `posthaul projects list` shows')
  },
} as const

/** Resolves what sending events needs. Throws `config` or `auth` errors that name the setting at fault. */
export async function ingestSettings(
  sources: Sources,
  stdin: Readable & { isTTY?: boolean },
): Promise<IngestSettings> {
  const origin = address('ingest', sources)
  const spec = { env: 'POSTHOG_PROJECT_API_KEY', file: 'projectKeyFile', stdinFlag: 'projectKeyStdin' }
  const projectKey = await readSecret(spec, sources, stdin)
  if (!projectKey) {
    throw new PosthaulError('no project key: the service needs one to know whose events these are', {
      code: 'auth',
      hint: 'set POSTHOG_PROJECT_API_KEY, or name a 0600 file in POSTHOG_PROJECT_API_KEY_FILE, or pipe it to --project-key-stdin (project settings, "Project API key", phc_…)',
    })
  }
  checkProjectKey(projectKey)
  return { origin, projectKey }
}

/** Resolves what reading the project needs: the API's address and a personal key. */
export async function apiSettings(
  sources: Sources,
  stdin: Readable & { isTTY?: boolean },
): Promise<ApiSettings> {
  const settings = await apiSettingsIfAny(sources, stdin)
  if (settings) return settings
  const origin = address('api', sources)
  throw new PosthaulError('no personal key: the service shows groups and counts to a person only', {
    code: 'auth',
    hint: `make one at ${origin.value}/settings/user-api-keys and set POSTHOG_PERSONAL_API_KEY, or name a 0600 file in POSTHOG_PERSONAL_API_KEY_FILE`,
  })
}

/** The same where a personal key is set; undefined where none is. */
export async function apiSettingsIfAny(
  sources: Sources,
  stdin: Readable & { isTTY?: boolean },
): Promise<ApiSettings | undefined> {
  const spec = { env: 'POSTHOG_PERSONAL_API_KEY', file: 'personalKeyFile', stdinFlag: 'personalKeyStdin' }
  const personalKey = await readSecret(spec, sources, stdin)
  if (!personalKey) return undefined
  const origin = address('api', sources)
  if (personalKey.reveal().startsWith('phc_')) {
    throw new PosthaulError(
      `the key from ${personalKey.from} is a project key (phc_); reading needs a personal one`,
      {
        code: 'auth',
        hint: `make a personal key (phx_) at ${origin.value}/settings/user-api-keys`,
      },
    )
  }
  return { origin, personalKey, projectId: resolve(PROJECT_ID, sources) }
}

function checkProjectKey(key: Secret): void {
  const value = key.reveal()
  if (value.startsWith('phx_')) {
    throw new PosthaulError(
      `the key from ${key.from} is a personal key (phx_); sending needs the project's`,
      {
        code: 'auth',
        hint: 'use the "Project API key" of the project settings; it starts with phc_',
      },
    )
  }
  if (/["'=]/.test(value)) {
    throw new PosthaulError(`the key from ${key.from} has quotes or a name around it`, {
      code: 'auth',
      hint: 'give the key alone; it starts with phc_',
    })
  }
  if (value.length > 64) {
    throw new PosthaulError(`the key from ${key.from} is longer than any project key (64 characters)`, {
      code: 'auth',
      hint: 'use the "Project API key" of the project settings; it starts with phc_',
    })
  }
}

// No default region: a key of one region is taken by the other with a 200, and the events are gone.
function address(which: keyof Hosts, sources: Sources): Resolved<string> {
  for (const tier of ['flag', 'env', 'file'] as const) {
    const only = onlyTier(sources, tier)
    const ingest = which === 'ingest' ? resolve(INGEST_HOST, only) : undefined
    const host = ingest ?? resolve(HOST, only)
    const region = resolve(REGION, only)
    if (!host) {
      if (region) return { ...region, value: CLOUD[region.value][which] }
      continue
    }
    const origin = parseOrigin(host.value, host.from)
    const value = ingest ? origin : hostsOf(origin)[which]
    // A proxy in front of ingestion beside a region is usual; a host beside another region is a mistake.
    if (!ingest && region && value !== CLOUD[region.value][which]) {
      throw new PosthaulError(`${host.from} is ${origin}, but ${region.from} says ${region.value}`, {
        code: 'config',
        hint: 'drop one of the two',
      })
    }
    return { ...host, value }
  }
  const names = (setting: Setting<unknown>) => setting.env
  throw new PosthaulError(`no address: say where the ${which === 'ingest' ? 'events go' : 'project is'}`, {
    code: 'config',
    hint: `set ${names(REGION)} to us or eu, or ${names(HOST)} to your own installation's address`,
  })
}

function onlyTier(sources: Sources, tier: Tier): Sources {
  const nothing = { flags: {}, env: {}, file: {}, fileName: sources.fileName }
  if (tier === 'flag') return { ...nothing, flags: sources.flags }
  return tier === 'env' ? { ...nothing, env: sources.env } : { ...nothing, file: sources.file }
}
