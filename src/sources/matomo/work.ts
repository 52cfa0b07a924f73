import { PosthaulError } from '../../errors.ts'
import { type Secret, systemClock } from '../../http/index.ts'
import { readSecret, type Values } from '../../options/index.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/index.ts'
import { windowsFrom } from '../export-options.ts'
import { startOfDay, unlimited } from '../login.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import { matomoOrder, openMatomo, siteOf } from './matomo.ts'
import type { MATOMO_ROWS } from './vendor.ts'

export const matomoWork: VendorWork<Values<typeof MATOMO_ROWS>> = {
  async order(values, world) {
    const order = matomoOrder({
      url: values.url,
      origin: values.baseUrl,
      site: String(values.site),
      token: await tokenFrom(world),
      windows: windowsFrom(values, MS_PER_DAY, startOfDay(Date.now())),
      limits: [{ requests: values.requestsPerHour, perMs: MS_PER_HOUR }],
      quietMs: values.timeout,
      clock: systemClock,
    })
    return { order }
  },

  /** The site's own entry, which says its name too. */
  async logins({ url, site, baseUrl }, tools) {
    const token = await tokenFrom(tools)
    if (url === undefined || site === undefined) return undefined
    const ask = async (signal: AbortSignal) => {
      const limiter = unlimited(tools)
      const opened = openMatomo({ url, origin: baseUrl, token, limiter, quietMs: tools.patienceMs })
      try {
        const { name } = await siteOf(opened, site, signal)
        return typeof name === 'string' ? `site ${site}, "${name}"` : `site ${site}`
      } finally {
        await opened.client.close()
      }
    }
    return [{ name: 'Matomo', origin: baseUrl ?? new URL(url).origin, ask }]
  },
}

/** The token of a user of a Matomo. Code `auth` if there is none. */
async function tokenFrom({ env, stdin }: CredentialsFrom): Promise<Secret> {
  const token = await readSecret({ variable: 'MATOMO_TOKEN' }, env, stdin)
  if (token) return token
  throw new PosthaulError('no credentials for Matomo', {
    code: 'auth',
    hint: 'set MATOMO_TOKEN: Personal, Security, Auth tokens in Matomo makes one',
  })
}
