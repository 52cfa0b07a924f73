import type { Clock } from '../../http/clock.ts'
import { type Limit, RateLimiter } from '../../http/rate-limiter.ts'
import type { Order, Piece, QuotaMemory, Source } from '../source.ts'
import { type Credentials, VendorClient } from '../vendor-client.ts'
import { HOUR_MS, type Window } from '../window.ts'
import { exportEvents } from './events.ts'
import { exportPersons } from './persons.ts'
import { queryPath } from './query.ts'

/** What the query endpoint grants. */
export const POSTHOG_LIMITS = { perHour: 2400, perMinute: 240 } as const

// Events still come in for a while after they happened: from phones that were offline, and through the pipeline.
const LATE_MS = 24 * HOUR_MS

export interface PostHogOptions {
  readonly host: string
  readonly projectId: string
  readonly credentials: Credentials
  readonly windows: readonly Window[]
  readonly spanMs: number
  readonly persons: boolean
  readonly limits: readonly Limit[]
  readonly quietMs: number
  readonly clock: Clock
}

/** An export of another project of the service, by its query endpoint. */
export function posthogOrder(options: PostHogOptions): Order {
  return {
    vendor: 'posthog',
    identity: {
      vendor: 'posthog',
      host: options.host,
      project: options.projectId,
      window: `${options.spanMs / HOUR_MS}h`,
    },
    open: (memory) => open(options, memory),
  }
}

function open(options: PostHogOptions, memory: QuotaMemory): Source {
  const { host, projectId, credentials, limits, clock, quietMs } = options
  const remember = (asked: readonly number[]) => memory.remember('query', asked, false)
  const limiter = new RateLimiter({ limits, clock, asked: memory.asked('query'), remember })
  const client = new VendorClient({ vendor: 'PostHog', origin: host, credentials, limiter, quietMs })
  const path = queryPath(projectId)
  const pieces = options.windows.map((window): Piece => {
    return {
      name: window.name,
      asks: `POST ${host}${path} events of ${window.name}`,
      finalAt: window.end + LATE_MS,
      fetch: (call) => exportEvents(client, path, window, call),
    }
  })
  const persons: Piece = {
    name: 'persons',
    asks: `POST ${host}${path} persons`,
    finalAt: 0,
    fetch: (call) => exportPersons(client, path, call),
  }
  return {
    pieces: options.persons ? [...pieces, persons] : pieces,
    limiter,
    close: () => client.close(),
  }
}
