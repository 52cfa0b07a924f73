import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { readSecret } from '../../options/read-secret.ts'
import type { Values } from '../../options/row.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/units.ts'
import { windowsFrom } from '../export-options.ts'
import type { ExportOrder, ExportPiece, QuotaMemory, Source } from '../source.ts'
import {
  basic,
  type Credentials,
  keptLimiter,
  loginBy,
  loginPlaces,
  type PacedWindows,
  VendorClient,
  VendorError,
  WEB_PAGE,
} from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import { amplitudeExportPath, exportWindow } from './events.ts'
import { AMPLITUDE_COUNTED, amplitudeReport, reportLimits } from './report.ts'
import type { AMPLITUDE_ROWS } from './vendor.ts'

type AmplitudeRegion = 'us' | 'eu'

const AMPLITUDE_HOSTS: Readonly<Record<AmplitudeRegion, string>> = {
  us: 'https://amplitude.com',
  eu: 'https://analytics.eu.amplitude.com',
}

/** The events of an hour can be exported two hours after its end. */
const AMPLITUDE_DELAY_MS = 2 * MS_PER_HOUR

export interface AmplitudeOptions extends PacedWindows {
  readonly host: string
  readonly region: AmplitudeRegion
  readonly credentials: Credentials
  /** Tells projects apart without revealing the key. */
  readonly keyFingerprint: string
  readonly spanMs: number
}

/** An export of Amplitude. Its windows are whole hours of the time at which events reached its servers. */
export function amplitudeOrder(options: AmplitudeOptions): ExportOrder {
  return {
    preset: 'amplitude',
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
  const { host, credentials, clock, quietMs, windows } = options
  const limiter = keptLimiter(memory, 'export', options)
  const shared = { vendor: 'Amplitude', origin: host, credentials, quietMs }
  const client = new VendorClient({ ...shared, limiter })
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
  const reports = new VendorClient({
    ...shared,
    limiter: keptLimiter(memory, 'report', { limits: reportLimits(days), clock }),
  })
  const close = async () => {
    await Promise.all([client.close(), reports.close()])
  }
  return { pieces, report: amplitudeReport(reports), limiter, close }
}

/** Amplitude was founded in 2012. No project has events of this hour, and whoever may export it gets 404. */
const BEFORE_AMPLITUDE = Date.UTC(2011, 0, 1)

export const amplitudeWork: VendorWork<Values<typeof AMPLITUDE_ROWS>> = {
  async order(values, world) {
    const { credentials, apiKey } = await credentialsFrom(world)
    const exportable = Date.now() - AMPLITUDE_DELAY_MS
    const perHour = values.requestsPerHour
    const order = amplitudeOrder({
      host: values.baseUrl ?? AMPLITUDE_HOSTS[values.region],
      region: values.region,
      credentials,
      keyFingerprint: apiKey.fingerprint(),
      windows: windowsFrom(values, values.window, exportable - (exportable % MS_PER_HOUR)),
      spanMs: values.window,
      limits: perHour === undefined ? [] : [{ requests: perHour, perMs: MS_PER_HOUR }],
      quietMs: values.timeout,
      clock: systemClock,
    })
    return { order }
  },

  /** An hour in which there is nothing, since one that holds events is prepared as a whole. */
  async logins(project, tools) {
    const { credentials } = await credentialsFrom(tools)
    const path = amplitudeExportPath(BEFORE_AMPLITUDE, BEFORE_AMPLITUDE + MS_PER_HOUR)
    return loginPlaces('Amplitude', project, AMPLITUDE_HOSTS, (host) => host).map(([name, origin]) =>
      loginBy({ name, vendor: 'Amplitude', origin, credentials }, tools, async (client, signal) => {
        await client.ask({ method: 'GET', path }, signal, nothingThere).catch((error: unknown) => {
          if (!(error instanceof NothingThere)) throw error
        })
        return undefined
      }),
    )
  },
}

class NothingThere extends VendorError {}

// 400: some of its servers refuse an hour that is so long ago, after they have looked at the keys.
const nothingThere = (status: number, words: string) =>
  (status === 404 || status === 400) && words !== WEB_PAGE
    ? new NothingThere(words, { code: 'unavailable' })
    : undefined

/** A project's two keys. Code `auth` if one is missing. */
async function credentialsFrom({ env, stdin }: CredentialsFrom) {
  const apiKey = await readSecret({ variable: 'AMPLITUDE_API_KEY' }, env, stdin)
  const secretKey = await readSecret({ variable: 'AMPLITUDE_SECRET_KEY' }, env, stdin)
  if (apiKey && secretKey) return { credentials: basic(apiKey, secretKey), apiKey }
  throw new PosthaulError('no credentials for Amplitude', {
    code: 'auth',
    hint: 'set AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY (Settings, Projects, General)',
  })
}
