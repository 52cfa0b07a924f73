import type { QuotaThere } from '../checks/project-side.ts'
import { PosthaulError } from '../errors.ts'
import type { Api } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import { quotaLimits } from '../service/quota-limits.ts'

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
