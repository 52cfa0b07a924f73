import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { ServiceError } from './errors.ts'

const WHAT = 'the quotas'

const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const orNull = count.nullish().transform((known) => known ?? null)
/** Where the project stands with its quota of events, in this billing period. A limit that is null is none. */
const quota = z.object({ limited: z.boolean(), usage: orNull, limit: orNull })
const answer = z.object({ limited: z.object({ events: quota.optional() }) })

export type Quota = Readonly<z.infer<typeof quota>>

/** The quota of events; undefined where there is none, as on a self-hosted server. */
export async function eventQuota({ api, projectId }: AskedProject): Promise<Quota | undefined> {
  const path = `/api/projects/${projectId}/quota_limits/`
  try {
    const got = await api.get(path, { what: WHAT, scope: 'project:read', projectId, isOptional: true })
    return api.read(got, answer, WHAT).limited.events
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined
    throw error
  }
}
