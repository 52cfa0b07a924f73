import { type Clock, type Limit, RateLimiter } from '../../http/index.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/index.ts'
import type { ExportOrder, ExportPiece, QuotaMemory, Source } from '../source.ts'
import { type Credentials, VendorClient } from '../vendor-client.ts'
import type { Window } from '../window.ts'
import { amplitudeExportPath, exportWindow } from './events.ts'
import { AMPLITUDE_COUNTED, amplitudeReport, reportLimits } from './report.ts'

export type AmplitudeRegion = 'us' | 'eu'

export const AMPLITUDE_HOSTS: Readonly<Record<AmplitudeRegion, string>> = {
  us: 'https://amplitude.com',
  eu: 'https://analytics.eu.amplitude.com',
}

/** The events of an hour can be exported two hours after its end. */
export const AMPLITUDE_DELAY_MS = 2 * MS_PER_HOUR

export interface AmplitudeOptions {
  readonly host: string
  readonly region: AmplitudeRegion
  readonly credentials: Credentials
  /** Tells projects apart without revealing the key. */
  readonly keyFingerprint: string
  readonly windows: readonly Window[]
  readonly spanMs: number
  readonly limits: readonly Limit[]
  readonly quietMs: number
  readonly clock: Clock
}

/** An export of Amplitude. Its windows are whole hours of the time at which events reached its servers. */
export function amplitudeOrder(options: AmplitudeOptions): ExportOrder {
  return {
    vendor: 'amplitude',
    identity: {
      vendor: 'amplitude',
      region: options.region,
      key: options.keyFingerprint,
      window: `${options.spanMs / MS_PER_HOUR}h`,
    },
    open: (memory) => open(options, memory),
  }
}

function open(options: AmplitudeOptions, memory: QuotaMemory): Source {
  const { host, credentials, limits, clock, quietMs, windows } = options
  const remember = (asked: readonly number[]) => memory.remember('export', asked, false)
  const limiter = new RateLimiter({ limits, clock, asked: memory.asked('export'), remember })
  const client = new VendorClient({ vendor: 'Amplitude', origin: host, credentials, limiter, quietMs })
  const pieces = windows.map((window): ExportPiece => {
    return {
      name: window.name,
      asks: `GET ${host}${amplitudeExportPath(window.start, window.end)}`,
      finalAt: window.end + AMPLITUDE_DELAY_MS,
      events: { span: window, by: AMPLITUDE_COUNTED },
      fetch: (call) => exportWindow(client, window, call),
    }
  })
  const days = Math.ceil((windows.length * options.spanMs) / MS_PER_DAY)
  const asked = memory.asked('report')
  const paced = new RateLimiter({
    limits: reportLimits(days),
    clock,
    asked,
    remember: (times) => memory.remember('report', times, false),
  })
  const reports = new VendorClient({
    vendor: 'Amplitude',
    origin: host,
    credentials,
    limiter: paced,
    quietMs,
  })
  const close = async () => {
    await Promise.all([client.close(), reports.close()])
  }
  return { pieces, report: amplitudeReport(reports), limiter, close }
}
