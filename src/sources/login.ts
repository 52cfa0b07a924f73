import { RateLimiter } from '../http/rate-limiter.ts'
import { MS_PER_DAY } from '../text/units.ts'
import { type Credentials, VendorClient } from './vendor-client.ts'
import type { Login, LoginTools, VendorProject } from './vendor-source.ts'

/** The vendor's addresses by name: one that is named, else those of all regions. */
export function loginPlaces<Host>(
  vendor: string,
  { region, baseUrl }: VendorProject,
  hosts: Readonly<Record<string, Host>>,
  originOf: (host: Host) => string,
): (readonly [name: string, origin: string])[] {
  if (baseUrl !== undefined) return [[vendor, baseUrl]]
  return Object.entries(hosts)
    .filter(([name]) => region === undefined || name === region)
    .map(([name, host]) => [`${vendor} (${name})`, originOf(host)] as const)
}

/** A login that is tried with a client of its own. One request needs no quota. */
export function loginBy(
  { name, ...of }: { name: string; vendor: string; origin: string; credentials: Credentials },
  { clock, patienceMs: quietMs }: LoginTools,
  work: (client: VendorClient, signal: AbortSignal) => Promise<string | undefined>,
): Login {
  const ask: Login['ask'] = async (signal) => {
    const client = new VendorClient({ ...of, limiter: new RateLimiter({ limits: [], clock }), quietMs })
    try {
      return await work(client, signal)
    } finally {
      await client.close()
    }
  }
  return { name, origin: of.origin, ask }
}

export function startOfDay(now: number): number {
  return now - (now % MS_PER_DAY)
}
