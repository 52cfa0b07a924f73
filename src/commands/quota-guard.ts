import { PosthaulError } from '../errors.ts'
import { number } from '../report/words.ts'
import type { Api } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import { type Quota, quotaLimits } from '../service/quota-limits.ts'

const HELP =
  'over quota, the service says Ok and drops events: look at the billing page, then run the same command again'

/** The quota of events; undefined where the server has none, or can't say. `note` is told why it can't. */
export async function eventQuota(
  api: Api,
  projectId: string,
  note: (text: string) => void,
): Promise<Quota | undefined> {
  try {
    return (await quotaLimits(api, projectId)).find(({ resource }) => resource === 'events')
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    // A self-hosted server has no quotas, so there is nothing to say.
    if (!(error instanceof ServiceError && error.status === 404))
      note(`could not ask what is left of the quota of events: ${error.message}`)
    return undefined
  }
}

/** Code `paused` if the project takes no more events. */
export function assertNotLimited(quota: Quota | undefined): void {
  if (!quota?.limited) return
  throw new PosthaulError(`the project is over its quota of events${standing(quota)}; nothing was sent`, {
    code: 'paused',
    hint: `${HELP}; to send all the same add --arrival-wait 0`,
  })
}

/** What the import needs against what is left; undefined where that is enough, or one of them is not known. */
export function shortOf(quota: Quota | undefined, needed: number | undefined): string | undefined {
  if (!quota || quota.limit === null || quota.usage === null || needed === undefined) return undefined
  const left = Math.max(0, quota.limit - quota.usage)
  if (needed <= left) return undefined
  return `the import needs ${number(needed)} events, and ${number(left)} are left of the project's quota in this period: beyond it the service drops events`
}

function standing({ usage, limit }: Quota): string {
  return usage === null || limit === null ? '' : ` (${number(usage)} of ${number(limit)} in this period)`
}
