import { PosthaulError } from '../errors.ts'
import { Secret, SHORTEST_SECRET } from '../http/index.ts'

/** What every long call of the library takes. */
export interface CallOptions {
  /** Ends the call: it saves its state, and rejects with the code `interrupted`. */
  readonly signal?: AbortSignal | undefined
  /**
   * Told what a command would print: progress each 30 s, retries, remarks. Without it nothing is said. What it throws is
   * ignored: nobody's import ends because a message could not be shown.
   */
  readonly onMessage?: ((text: string) => void) | undefined
  /** Where settings are taken from that are not given, as commands take them: `process.env`. Default: nothing. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
}

/** Where the service is, and the keys to it. */
export interface ServiceOptions {
  /** The project's key, `phc_…`: whose the events are. */
  readonly projectKey?: string | undefined
  /** A personal key, `phx_…`: with it an import checks whose the project key is, and watches that events arrive. */
  readonly personalKey?: string | undefined
  /** The region of the cloud; or `host`. */
  readonly region?: 'us' | 'eu' | undefined
  /** The address of an installation; in the cloud any of a region's two addresses. */
  readonly host?: string | undefined
  /** The address for events, where it is another one. */
  readonly ingestHost?: string | undefined
  /** The number of the project; needed where a personal key sees several. */
  readonly projectId?: string | number | undefined
}

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
