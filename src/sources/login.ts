import { RateLimiter } from '../http/index.ts'
import { MS_PER_DAY } from '../text/index.ts'
import { type Credentials, VendorClient } from './vendor-client.ts'
import type { LoginTools, VendorProject } from './vendor-source.ts'

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

/** Does the work with a client, and closes it then. */
export async function withClient<T>(
  of: { readonly vendor: string; readonly origin: string; readonly credentials: Credentials },
  tools: LoginTools,
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
export const unlimited = ({ clock }: Pick<LoginTools, 'clock'>) => new RateLimiter({ limits: [], clock })

export function startOfDay(now: number): number {
  return now - (now % MS_PER_DAY)
}
