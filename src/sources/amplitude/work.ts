import { PosthaulError } from '../../errors.ts'
import { type Secret, systemClock } from '../../http/index.ts'
import { readSecret, type Values } from '../../options/index.ts'
import { MS_PER_HOUR } from '../../text/index.ts'
import { windowsFrom } from '../export-options.ts'
import { loginPlaces, withClient } from '../login.ts'
import { basic, type Credentials, VendorError, WEB_PAGE } from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import { AMPLITUDE_DELAY_MS, AMPLITUDE_HOSTS, amplitudeOrder } from './amplitude.ts'
import { amplitudeExportPath } from './events.ts'
import type { AMPLITUDE_ROWS } from './vendor.ts'

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
    return loginPlaces('Amplitude', project, AMPLITUDE_HOSTS, (host) => host).map(([name, origin]) => ({
      name,
      origin,
      ask: (signal) =>
        withClient({ vendor: 'Amplitude', origin, credentials }, tools, async (client) => {
          await client.ask({ method: 'GET', path }, signal, nothingThere).catch((error: unknown) => {
            if (!(error instanceof NothingThere)) throw error
          })
          return undefined
        }),
    }))
  },
}

class NothingThere extends VendorError {}

// 400: some of its servers refuse an hour that is so long ago, after they have looked at the keys.
const nothingThere = (status: number, words: string) =>
  (status === 404 || status === 400) && words !== WEB_PAGE
    ? new NothingThere(words, { code: 'unavailable' })
    : undefined

/** A project's two keys. Code `auth` if one is missing. */
async function credentialsFrom({
  env,
  stdin,
}: CredentialsFrom): Promise<{ credentials: Credentials; apiKey: Secret }> {
  const apiKey = await readSecret({ variable: 'AMPLITUDE_API_KEY' }, env, stdin)
  const secretKey = await readSecret({ variable: 'AMPLITUDE_SECRET_KEY' }, env, stdin)
  if (apiKey && secretKey) return { credentials: basic(apiKey, secretKey), apiKey }
  throw new PosthaulError('no credentials for Amplitude', {
    code: 'auth',
    hint: 'set AMPLITUDE_API_KEY and AMPLITUDE_SECRET_KEY (Settings, Projects, General)',
  })
}
