import { beyond, OVER_QUOTA, overText, type QuotaThere, shortText } from '../../checks/index.ts'
import { PosthaulError } from '../../errors.ts'
import { type Api, quotaLimits, ServiceError } from '../../service/index.ts'

/** The quota of events; undefined where the server has none, or can't say. `unasked` is told why it can't. */
export async function eventQuota(
  api: Api,
  projectId: string,
  unasked: (why: string) => void,
): Promise<QuotaThere | undefined> {
  try {
    return (await quotaLimits(api, projectId)).find(({ resource }) => resource === 'events')
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    // A self-hosted server has no quotas, so there is nothing to say.
    if (!(error instanceof ServiceError && error.status === 404))
      unasked(`what is left of the quota of events: ${error.message}`)
    return undefined
  }
}

/** Code `paused` if the project takes no more events. */
export function assertNotLimited(quota: QuotaThere | undefined): void {
  if (!quota?.limited) return
  throw new PosthaulError(`${overText(quota)}; nothing was sent`, {
    code: 'paused',
    hint: `${OVER_QUOTA}, then run the same command again; to send all the same add --arrival-wait 0`,
  })
}

/** Says what the import needs beyond the rest of the quota; undefined if that is enough, or one of them isn't known. */
export function shortOf(quota: QuotaThere | undefined, needed: number | undefined): string | undefined {
  if (!quota || needed === undefined) return undefined
  const more = beyond(quota, needed)
  return more > 0 ? shortText(quota, more) : undefined
}
