import type { Context, Hono } from 'hono'
import { z } from 'zod'
import { parsedOrNone } from '../../text/json.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import type { DeletionRequest } from '../deletion-requests.ts'
import { struckBy } from '../faults/commit.ts'
import { parseUuid } from '../ingest/uuid.ts'
import { isoTime } from '../query/run.ts'
import { QueryError } from '../query/translate.ts'
import { access, requestThrottle, struckAnswer } from './access.ts'
import { forbidden, invalid, notFound, offsetPage } from './api-error.ts'

const MOST_BYTES = 100_000

const Input = z.object({ query: z.string().min(1), variables: z.record(z.string(), z.unknown()).default({}) })
const Order = z.strictObject({ ...Input.shape, submission_id: z.string() })

/** Requests to delete the events that a query selects, for organization admins of projects that may make them. */
export function deletionRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { deletions, dialect, now } = context
  if (dialect.dataDeletion === 'absent') return
  const allow = access(context)
  const [reads, writes] = [allow('data_deletion:read'), allow('data_deletion:write')] as const
  const previews = requestThrottle({ perMinute: 5, perHour: 30 }, now)
  const creates = requestThrottle({ perMinute: 10, perHour: 10 }, now)
  const base = '/api/projects/:id/data_deletion_requests'

  const admit = (throttle?: (key: string) => void): void => {
    // All callers of a project share its budget.
    throttle?.('project')
    if (dialect.dataDeletion !== 'refused') return
    throw forbidden('Self-service data deletion is not enabled for this project.')
  }

  app.post(`${base}/preview`, writes, async (c) => {
    admit(previews)
    const { query } = await bodyOf(c, Input)
    return c.json({ count: await counted(context, query) })
  })
  app.post(base, writes, async (c) => {
    admit(creates)
    const { query, variables, submission_id } = await bodyOf(c, Order)
    if (parseUuid(submission_id) === undefined) throw invalid('Must be a valid UUID.', 'submission_id')
    const known = deletions.submitted(submission_id)
    if (known) {
      const isSame = known.query === query && JSON.stringify(known.variables) === JSON.stringify(variables)
      if (isSame) return c.json(shown(known))
      const detail = 'This submission ID is already used by a different deletion request.'
      return c.json({ detail }, 409)
    }
    await counted(context, query)
    if (deletions.isFull) {
      const detail = 'This project already has the maximum number of active deletion requests.'
      return c.json({ detail }, 409)
    }
    const made = deletions.create({ query, variables, submissionId: submission_id })
    const fault = struckBy(context, 'deletion')
    const answer = c.json(shown(made), 201)
    return fault ? struckAnswer(c, fault, answer) : answer
  })
  app.get(base, reads, (c) => {
    admit()
    return c.json(offsetPage(c, deletions.list.map(shown)))
  })
  app.get(`${base}/:request`, reads, (c) => {
    admit()
    const found = deletions.list.find(({ id }) => id === c.req.param('request'))
    if (!found) throw notFound()
    return c.json(shown(found))
  })
}

async function bodyOf<T>(c: Context<NodeEnv>, schema: z.ZodType<T>): Promise<T> {
  const parsed = schema.safeParse(parsedOrNone(await c.req.text()))
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!
    throw invalid(message, path.join('.'))
  }
  const { query, variables } = parsed.data as z.infer<typeof Input>
  for (const [name, value] of Object.entries({ query, variables: JSON.stringify(variables) }))
    if (Buffer.byteLength(value) > MOST_BYTES) throw invalid(`Must be at most ${MOST_BYTES} bytes.`, name)
  return parsed.data
}

async function counted({ deletions }: SandboxContext, query: string): Promise<number> {
  try {
    return await deletions.count(query)
  } catch (error) {
    throw error instanceof QueryError ? invalid(error.message, 'query') : error
  }
}

function shown(request: DeletionRequest) {
  const { id, status, query, variables, submissionId, createdAt, updatedAt, approvedAt } = request
  const time = (ms: number) => isoTime(BigInt(ms) * 1000n)
  return {
    id,
    status,
    query,
    variables,
    submission_id: submissionId,
    count: null,
    created_by_id: 1,
    created_by_staff: false,
    created_at: time(createdAt),
    updated_at: time(updatedAt),
    approved_at: approvedAt === null ? null : time(approvedAt),
    stats_calculated_at: null,
  }
}
