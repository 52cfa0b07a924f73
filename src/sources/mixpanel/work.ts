import { PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/index.ts'
import { readSecret, type Values } from '../../options/index.ts'
import { MS_PER_DAY, MS_PER_HOUR } from '../../text/index.ts'
import { windowsFrom } from '../export-options.ts'
import { loginPlaces, startOfDay, withClient } from '../login.ts'
import { basic, type Credentials, cutShort } from '../vendor-client.ts'
import type { CredentialsFrom, VendorWork } from '../vendor-source.ts'
import { windowsOf } from '../window.ts'
import { mixpanelExportPath } from './events.ts'
import { MIXPANEL_HOSTS, mixpanelOrder } from './mixpanel.ts'
import { MIXPANEL_LIMITS, type MIXPANEL_ROWS } from './vendor.ts'

/** The first sign of what is packed, as text. */
const GZIP_BEGIN = '\u001f'

export const mixpanelWork: VendorWork<Values<typeof MIXPANEL_ROWS>> = {
  async order(values, world) {
    const { credentials, projectId } = await credentialsFrom(world)
    const { region, baseUrl } = values
    const order = mixpanelOrder({
      hosts: baseUrl === undefined ? MIXPANEL_HOSTS[region] : { data: baseUrl, query: baseUrl },
      region,
      credentials,
      projectId,
      events: values.event,
      // Today can be exported too, if --to asks for it; the summary warns that it is not final.
      windows: windowsFrom(values, MS_PER_DAY, startOfDay(Date.now()) + MS_PER_DAY),
      profiles: [...(values.profiles ? [{ name: 'profiles' }] : []), ...values.groupProfiles],
      limits: [
        // A little longer than the vendor's spans, because requests can arrive closer together than they leave.
        { requests: values.requestsPerHour, perMs: MS_PER_HOUR + 5000 },
        { requests: MIXPANEL_LIMITS.perSecond, perMs: 1100 },
      ],
      quietMs: values.timeout,
      clock: systemClock,
    })
    return { order }
  },

  /**
   * One record of a day, which counts as one of the 60 exports an hour (developer.mixpanel.com/reference/raw-event-export
   * has `limit`).
   */
  async logins(project, tools) {
    const { credentials, projectId } = await credentialsFrom(tools)
    const today = startOfDay(tools.clock.wall())
    const [window] = windowsOf(today - 2 * MS_PER_DAY, today - MS_PER_DAY, MS_PER_DAY)
    const path = `${mixpanelExportPath(window!, { projectId, events: [] })}&limit=1`
    const about = projectId === undefined ? undefined : `project ${projectId}`
    return loginPlaces('Mixpanel', project, MIXPANEL_HOSTS, ({ data }) => data).map(([name, origin]) => ({
      name,
      origin,
      ask: (signal) =>
        withClient({ vendor: 'Mixpanel', origin, credentials }, tools, async (client) => {
          const answer = await client.ask({ method: 'GET', path, headers: { accept: 'text/plain' } }, signal)
          const begin = await answer.text(1)
          const isPacked = answer.headers['content-encoding'] === 'gzip'
          if (begin === '' || begin === (isPacked ? GZIP_BEGIN : '{')) return about
          throw cutShort('Mixpanel answered 200, but with no events')
        }),
    }))
  },
}

/** A service account with its project, or a project's own secret. Code `auth` if neither is whole. */
async function credentialsFrom({
  env,
  stdin,
}: CredentialsFrom): Promise<{ credentials: Credentials; projectId: string | undefined }> {
  const secret = (variable: string) => readSecret({ variable }, env, stdin)
  const account = await secret('MIXPANEL_SERVICE_ACCOUNT')
  const projectId = env.MIXPANEL_PROJECT_ID?.trim() || undefined
  if (!account) {
    const apiSecret = await secret('MIXPANEL_API_SECRET')
    if (apiSecret) return { credentials: basic(apiSecret, undefined), projectId }
    throw lacking('no credentials for Mixpanel')
  }
  const password = await secret('MIXPANEL_SERVICE_SECRET')
  if (!password) throw lacking('MIXPANEL_SERVICE_ACCOUNT is set, but MIXPANEL_SERVICE_SECRET is not')
  if (projectId === undefined)
    throw lacking('MIXPANEL_PROJECT_ID is not set: a service account does not say which project')
  return { credentials: basic(account, password), projectId }
}

function lacking(message: string): PosthaulError {
  return new PosthaulError(message, {
    code: 'auth',
    hint: 'set MIXPANEL_PROJECT_ID, MIXPANEL_SERVICE_ACCOUNT and MIXPANEL_SERVICE_SECRET, or MIXPANEL_API_SECRET',
  })
}
