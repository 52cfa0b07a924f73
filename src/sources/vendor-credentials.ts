import type { Readable } from 'node:stream'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import type { Env } from '../options/env.ts'
import { parseOrigin } from '../options/hosts.ts'
import { readSecret } from '../options/read-secret.ts'
import { basic, type Credentials } from './vendor-client.ts'

// The credentials of each vendor: from the environment, or from the files that `<name>_FILE` names, never from an option.

/** Where credentials are read from. */
export interface CredentialsFrom {
  readonly env: Env
  readonly stdin: Readable & { isTTY?: boolean }
}

/** A service account with its project, or a project's own secret. Code `auth` if neither is whole. */
export async function mixpanelCredentials({
  env,
  stdin,
}: CredentialsFrom): Promise<{ credentials: Credentials; projectId: string | undefined }> {
  const secret = (variable: string) => readSecret({ variable }, env, stdin)
  const account = await secret('MIXPANEL_SERVICE_ACCOUNT')
  const projectId = env.MIXPANEL_PROJECT_ID?.trim() || undefined
  if (!account) {
    const apiSecret = await secret('MIXPANEL_API_SECRET')
    if (apiSecret) return { credentials: basic(apiSecret, undefined), projectId }
    throw lackingMixpanel('no credentials for Mixpanel')
  }
  const password = await secret('MIXPANEL_SERVICE_SECRET')
  if (!password) throw lackingMixpanel('MIXPANEL_SERVICE_ACCOUNT is set, but MIXPANEL_SERVICE_SECRET is not')
  if (projectId === undefined)
    throw lackingMixpanel('MIXPANEL_PROJECT_ID is not set: a service account does not say which project')
  return { credentials: basic(account, password), projectId }
}

/** A project's two keys. Code `auth` if one is missing. */
export async function amplitudeCredentials({
  env,
  stdin,
}: CredentialsFrom): Promise<{ credentials: Credentials; apiKey: Secret }> {
  const apiKey = await readSecret({ variable: 'AMPLITUDE_API_KEY' }, env, stdin)
  const secretKey = await readSecret({ variable: 'AMPLITUDE_SECRET_KEY' }, env, stdin)
  if (apiKey && secretKey) return { credentials: basic(apiKey, secretKey), apiKey }
  throw new PosthaulError('no credentials for Amplitude', {
    code: 'auth',
    hint: 'set AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY (Settings, Projects, General)',
  })
}

/** The token of a user of a Matomo. Code `auth` if there is none. */
export async function matomoToken({ env, stdin }: CredentialsFrom): Promise<Secret> {
  const token = await readSecret({ variable: 'MATOMO_TOKEN' }, env, stdin)
  if (token) return token
  throw new PosthaulError('no credentials for Matomo', {
    code: 'auth',
    hint: 'set MATOMO_TOKEN: Personal, Security, Auth tokens in Matomo makes one',
  })
}

/** The project of the service to export: its address, its id and a personal key. Code `auth` or `config` for what is missing. */
export async function posthogSource(
  { env, stdin }: CredentialsFrom,
  baseUrl: string | undefined,
): Promise<{ host: string; projectId: string; key: Secret }> {
  const key = await readSecret({ variable: 'POSTHOG_SOURCE_API_KEY' }, env, stdin)
  const projectId = env.POSTHOG_SOURCE_PROJECT_ID?.trim()
  const host = env.POSTHOG_SOURCE_HOST?.trim()
  if (!key) throw lackingPostHog('no key for the project to export', 'auth')
  if (!projectId) throw lackingPostHog('no project to export', 'config')
  if (!host && baseUrl === undefined) throw lackingPostHog('no address of the project to export', 'config')
  return { host: baseUrl ?? parseOrigin(host!, 'POSTHOG_SOURCE_HOST'), projectId, key }
}

function lackingMixpanel(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'auth',
    hint: 'set MIXPANEL_PROJECT_ID, MIXPANEL_SERVICE_ACCOUNT and MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  })
}

function lackingPostHog(message: string, code: 'auth' | 'config'): PosthaulError {
  const hint = 'set POSTHOG_SOURCE_HOST, POSTHOG_SOURCE_PROJECT_ID and POSTHOG_SOURCE_API_KEY'
  return new PosthaulError(message, { code, hint })
}
