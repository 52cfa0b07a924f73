import { z } from 'zod'
import type { Api } from './api.ts'

/** Where the project stands with one of its quotas, in this billing period. */
export interface Quota {
  /** The service's word: `events`, `exceptions` and others. */
  readonly resource: string
  readonly limited: boolean
  readonly usage: number | null
  /** Null: no limit. */
  readonly limit: number | null
}

const WHAT = 'the quotas'

const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER)
const quota = z.object({
  limited: z.boolean(),
  usage: count.nullish(),
  limit: count.nullish(),
})
const answer = z.object({ limited: z.record(z.string(), quota) })

/** All quotas of the project. A self-hosted server has none: 404. */
export async function quotaLimits(api: Api, projectId: string): Promise<Quota[]> {
  const path = `/api/projects/${projectId}/quota_limits/`
  const got = await api.get(path, { what: WHAT, scope: 'project:read', projectId, isOptional: true })
  return Object.entries(api.read(got, answer, WHAT).limited).map(([resource, { limited, usage, limit }]) => {
    return { resource, limited, usage: usage ?? null, limit: limit ?? null }
  })
}
