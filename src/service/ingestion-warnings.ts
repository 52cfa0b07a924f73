import { z } from 'zod'
import type { AskedProject } from './api.ts'
import { countCell } from './query.ts'

/** Warnings of one type, as the service tells them. Words that it learns later come as they are. */
export interface FoundWarning {
  readonly type: string
  /** `error`: the events were dropped; `warning`: stored, but changed; `info`: dropped as the project asks. */
  readonly severity: string
  /** How many warnings the service kept. It samples and throttles: never a number of events. */
  readonly sampled: number
  /** The uuid of one of its events. */
  readonly example: string | null
  /** The transformations that did it, where they are named. */
  readonly by?: readonly string[]
}

/** The service keeps warnings for so many days. */
export const WARNINGS_KEPT_DAYS = 90

const WHAT = 'ingestion warnings'

const answer = z.array(
  z.object({
    type: z.string(),
    severity: z.string().nullish(),
    count: countCell,
    samples: z
      .array(
        z.object({
          event_uuid: z.string().nullish(),
          details: z.object({ transformationName: z.string().nullish() }).nullish().catch(null),
        }),
      )
      .nullish(),
  }),
)

/** What the project was warned of since a time (ISO), the most frequent first. */
export async function ingestionWarnings(
  { api, projectId }: AskedProject,
  since: string,
): Promise<FoundWarning[]> {
  const path = `/api/projects/${projectId}/ingestion_warnings_v2/?since=${encodeURIComponent(since)}&limit=100&samples=5`
  const subject = { what: WHAT, scope: 'ingestion_warning:read', projectId, isOptional: true }
  const got = await api.get(path, subject)
  return api.read(got, answer, WHAT).map(({ type, severity, count, samples }) => {
    const uuids = (samples ?? []).flatMap(({ event_uuid: uuid }) => uuid || [])
    const by = new Set((samples ?? []).flatMap(({ details }) => details?.transformationName ?? []))
    const example = uuids[0]?.toLowerCase() ?? null
    return {
      type,
      severity: severity ?? 'unknown',
      sampled: count,
      example,
      ...(by.size > 0 && { by: [...by] }),
    }
  })
}
