import { onTestFinished } from 'vitest'
import { Secret } from '../../src/http/secret.ts'
import type { ApiSettings } from '../../src/options/service-settings.ts'
import { Api, type ApiOptions } from '../../src/service/api.ts'
import { type Asked, oddServer, type Reply } from './odd-server.ts'

interface Given extends Partial<Omit<ApiOptions, 'settings'>> {
  readonly key?: string | Secret
  readonly projectId?: string | undefined
}

/** The settings of the project API at an address. */
export function settingsAt(url: string, { key = 'phx_test', projectId }: Given = {}): ApiSettings {
  const resolved = (value: string) => ({ value, source: 'env', from: 'POSTHOG_HOST' }) as const
  return {
    origin: resolved(url),
    personalKey: typeof key === 'string' ? new Secret(key, 'POSTHOG_PERSONAL_API_KEY') : key,
    projectId: projectId === undefined ? undefined : resolved(projectId),
  }
}

/** A client of the project API at an address, which its test closes. */
export function openApi(url: string, { key, projectId, ...options }: Given = {}): Api {
  const settings = settingsAt(url, { ...(key && { key }), projectId })
  return new Api({
    signal: new AbortController().signal,
    onWait: () => undefined,
    ...options,
    settings,
  })
}

/** The same until the test ends. */
export function apiAt(url: string, given: Given = {}): Api {
  const api = openApi(url, given)
  onTestFinished(() => api.close())
  return api
}

/** A server that answers what `reply` says, and a client of it, until the test ends. */
export async function oddApi(reply: (asked: Asked) => Reply, given: Given = {}) {
  const server = await oddServer(reply)
  onTestFinished(server.close)
  return { server, api: apiAt(server.url, given) }
}
