import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { AskedProject } from './api.ts'
import { ServiceError, shapeError } from './errors.ts'
import { listPages } from './next-page.ts'

/** A request for deletion, as the service shows it. */
const requestSchema = z.object({
  id: z.string(),
  status: z.string(),
  submission_id: z.string().nullish(),
  query: z.string().nullish(),
})
export type DeletionRequest = z.infer<typeof requestSchema>

const WHAT = 'requests for deletion'

const subjectOf = (scope: 'read' | 'write') => ({ what: WHAT, scope: `data_deletion:${scope}` })
const pathOf = ({ projectId }: AskedProject, rest = '') =>
  `/api/projects/${projectId}/data_deletion_requests/${rest}`

/** How many events a query would delete. Throws ServiceError 403 or 404 where the project takes no requests. */
export async function previewDeletion(project: AskedProject, query: string): Promise<number> {
  const { api } = project
  const answer = await api.post(pathOf(project, 'preview/'), { query, variables: {} }, subjectOf('write'))
  return api.read(answer, z.object({ count: z.int().min(0) }), WHAT).count
}

/** Files a request, once for a submission id, however often it is sent. */
export async function fileDeletion(
  project: AskedProject,
  { query, submission_id }: { readonly query: string; readonly submission_id: string },
): Promise<DeletionRequest> {
  const { api } = project
  const body = { query, variables: {}, submission_id }
  try {
    const filed = api.read(await api.post(pathOf(project), body, subjectOf('write')), requestSchema, WHAT)
    if ((filed.submission_id ?? submission_id) === submission_id) return filed
    throw shapeError(api.origin, WHAT, 'submission_id: it is of another request')
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status !== 409) throw error
    throw new PosthaulError(error.message, {
      code: 'paused',
      hint: 'a project has at most five requests at work: run it again once one of them is done',
      cause: error,
    })
  }
}

/** The newest request that `isIt`; undefined if the project has none. */
export async function findDeletion(
  project: AskedProject,
  isIt: (request: DeletionRequest) => boolean,
): Promise<DeletionRequest | undefined> {
  for await (const results of listPages(project.api, pathOf(project), requestSchema, subjectOf('read'))) {
    const found = results.find(isIt)
    if (found) return found
  }
  return undefined
}

/** True where the project takes no requests: 403 without the flag, the scope or the rights, 404 on an older server. */
export function isDeletionRefused(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.status === 403 || error.status === 404)
}
