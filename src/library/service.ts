import { PosthaulError } from '../errors.ts'
import type { CallOptions, ServiceOptions } from '../host.ts'
import { Secret, SHORTEST_SECRET } from '../http/secret.ts'

/**
 * The options of a row, and the keys, which no row has.
 * @internal
 */
export function partKeys<T extends ServiceOptions & CallOptions>(options: T) {
  const { projectKey, personalKey, signal, onMessage, env, ...rows } = options
  return {
    rows,
    call: { signal, onMessage, env },
    sources: {
      ...(env && { env }),
      keys: {
        ...secretOf('projectKey', 'POSTHOG_PROJECT_API_KEY', projectKey),
        ...secretOf('personalKey', 'POSTHOG_PERSONAL_API_KEY', personalKey),
      },
    },
  }
}

function secretOf(name: string, variable: string, key: unknown): Record<string, Secret> {
  if (key === undefined) return {}
  if (typeof key === 'string' && key.length >= SHORTEST_SECRET && /^[\x21-\x7e]{1,4096}$/.test(key))
    return { [variable]: new Secret(key, name) }
  // Never with the value: it may be half a key.
  throw new PosthaulError(`${name} is no key: expected one line of printable ASCII`, { code: 'config' })
}
