import { type Clock, type Limit, RateLimiter } from '../../http/index.ts'
import { MS_PER_DAY } from '../../text/index.ts'
import type { ExportOrder, ExportPiece, QuotaMemory, Source } from '../source.ts'
import { type Credentials, VendorClient } from '../vendor-client.ts'
import type { Window } from '../window.ts'
import { exportDay, mixpanelExportPath } from './events.ts'
import { engagePages, engagePath, type ProfileKind } from './profiles.ts'
import { MIXPANEL_COUNTED, mixpanelReport } from './report.ts'

export type MixpanelRegion = 'us' | 'eu' | 'in'

/** Where a region's raw export and its query interface are. */
export const MIXPANEL_HOSTS: Readonly<
  Record<MixpanelRegion, { readonly data: string; readonly query: string }>
> = {
  us: { data: 'https://data.mixpanel.com', query: 'https://mixpanel.com' },
  eu: { data: 'https://data-eu.mixpanel.com', query: 'https://eu.mixpanel.com' },
  in: { data: 'https://data-in.mixpanel.com', query: 'https://in.mixpanel.com' },
}

/** Events can reach Mixpanel up to five days late. */
const LATE_MS = 5 * MS_PER_DAY

export interface MixpanelOptions {
  readonly hosts: { readonly data: string; readonly query: string }
  readonly region: MixpanelRegion
  readonly credentials: Credentials
  /** Needed with a service account. A project's own secret implies the project. */
  readonly projectId: string | undefined
  /** Only events with these names; empty for all. */
  readonly events: readonly string[]
  readonly windows: readonly Window[]
  readonly profiles: readonly ProfileKind[]
  readonly limits: readonly Limit[]
  readonly quietMs: number
  readonly clock: Clock
}

/** An export of Mixpanel: a window for each day, and the profiles if they are wanted. */
export function mixpanelOrder(options: MixpanelOptions): ExportOrder {
  const { region, projectId, events } = options
  return {
    vendor: 'mixpanel',
    identity: {
      vendor: 'mixpanel',
      region,
      ...(projectId !== undefined && { project: projectId }),
      ...(events.length > 0 && { events: JSON.stringify([...events].sort()) }),
    },
    open: (memory) => open(options, memory),
  }
}

function open(options: MixpanelOptions, memory: QuotaMemory): Source {
  const { hosts, limits, clock, credentials, quietMs, windows, profiles } = options
  const limiterOf = (quota: string) => {
    const remember = (asked: readonly number[]) => memory.remember(quota, asked, true)
    return new RateLimiter({ limits, clock, asked: memory.asked(quota), remember })
  }
  // The raw export and the query interface have quotas of their own.
  const limiter = limiterOf('export')
  const shared = { vendor: 'Mixpanel', credentials, quietMs }
  const data = new VendorClient({ ...shared, origin: hosts.data, limiter })
  const query = new VendorClient({ ...shared, origin: hosts.query, limiter: limiterOf('engage') })
  const days = windows.map((window): ExportPiece => {
    const path = mixpanelExportPath(window, options)
    return {
      name: window.name,
      asks: `GET ${hosts.data}${path}`,
      finalAt: window.end + LATE_MS,
      events: { span: window, by: MIXPANEL_COUNTED },
      fetch: (call) => exportDay(data, path, call),
    }
  })
  const snapshots = profiles.map((kind): ExportPiece => {
    const path = engagePath(options.projectId)
    return {
      name: kind.name,
      asks: `POST ${hosts.query}${path}`,
      finalAt: 0,
      fetch: (call) => engagePages(query, path, kind, call),
    }
  })
  const close = async () => {
    await Promise.all([data.close(), query.close()])
  }
  return { pieces: [...days, ...snapshots], report: mixpanelReport(query, options), limiter, close }
}
