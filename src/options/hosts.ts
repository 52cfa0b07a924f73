import { PosthaulError } from '../errors.ts'
import { isLoopback } from '../http/index.ts'

export type Region = 'us' | 'eu'

/** The two addresses of an installation: events go to one, everything else to the other. */
export interface Hosts {
  readonly ingest: string
  readonly api: string
}

/** The cloud's addresses. */
export const CLOUD: Readonly<Record<Region, Hosts>> = {
  us: { ingest: 'https://us.i.posthog.com', api: 'https://us.posthog.com' },
  eu: { ingest: 'https://eu.i.posthog.com', api: 'https://eu.posthog.com' },
}

// Users paste any of the cloud's addresses. The old app host is that of the US.
const CLOUD_ALIASES: Readonly<Record<string, Region>> = {
  'https://us.i.posthog.com': 'us',
  'https://us.posthog.com': 'us',
  'https://app.posthog.com': 'us',
  'https://eu.i.posthog.com': 'eu',
  'https://eu.posthog.com': 'eu',
}

/** Both addresses of an installation, from one of them: its region's in the cloud, else the same host for both. */
export function hostsOf(origin: string): Hosts {
  const region = CLOUD_ALIASES[origin]
  return region ? CLOUD[region] : { ingest: origin, api: origin }
}

/** Checks an address and returns its origin. Requests carry keys, so plain http is refused, except for loopback. */
export function parseOrigin(address: string, from: string): string {
  let url: URL
  try {
    url = new URL(address.includes('://') ? address : `https://${address}`)
  } catch (cause) {
    throw new PosthaulError(`${from} is not an address`, {
      code: 'config',
      hint: 'write it like https://posthog.example.com',
      cause,
    })
  }
  // This comes before the messages that repeat the address: a password in it must not reach them.
  if (url.username || url.password) {
    throw new PosthaulError(`${from} carries a user name or password, which the service does not take`, {
      code: 'config',
      hint: 'write the address without them, like https://posthog.example.com',
    })
  }
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLoopback(url.hostname))) {
    throw new PosthaulError(`${from} is ${url.protocol}//${url.host}: keys would travel in the clear`, {
      code: 'config',
      hint: 'use https; plain http is accepted only for 127.0.0.1, [::1] and localhost',
    })
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new PosthaulError(`${from} has a path after the host name`, {
      code: 'config',
      hint: `write ${url.origin} alone`,
    })
  }
  return url.origin
}
