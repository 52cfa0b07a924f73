import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import type { Api } from './api.ts'
import { ServiceError } from './errors.ts'
import { projectPages } from './projects.ts'

const SUBJECT = { what: 'the project', scope: 'project:read' }
/** Some installations do not show the token. */
const ownerSchema = z.object({ id: z.int(), name: z.string(), api_token: z.string().optional() })
type Owner = z.infer<typeof ownerSchema>

/**
 * Makes sure that the project key belongs to the named project, or to one that the personal key sees. The service
 * accepts events under any well-formed key, and those sent under a wrong one are lost. Throws `auth` if the key belongs
 * to another project or the personal key is refused, `config` if there is no such project. Resolves to undefined if the
 * key is right or the installation doesn't show its keys; to the reason if the key could not be checked, because the
 * service did not answer or the personal key may not read projects.
 */
export async function assertKeyOwner(api: Api, projectKey: Secret): Promise<string | undefined> {
  const named = api.settings.projectId?.value
  let owners: Owner[]
  try {
    owners = named === undefined ? await all(api) : [await one(api, named)]
  } catch (error) {
    if (!(error instanceof PosthaulError)) throw error
    const isOwn = error instanceof ServiceError && error.own
    if (!isOwn || (error.status !== 401 && error.status !== 404)) return error.message
    throw new PosthaulError(`${error.message}; nothing was sent`, {
      code: error.code,
      hint: `${error.hint}; without ${api.settings.personalKey.from} the project key is not checked`,
      cause: error,
    })
  }
  const [first] = owners
  if (
    !first ||
    owners.some(({ api_token }) => api_token === undefined || api_token === projectKey.reveal())
  ) {
    return undefined
  }
  const whose =
    owners.length === 1
      ? `is not that of project ${first.id} (${first.name})`
      : `is of none of the ${owners.length} projects that the personal key sees`
  throw new PosthaulError(`the project key from ${projectKey.from} ${whose}; nothing was sent`, {
    code: 'auth',
    hint: 'take the "Project API key" of the right project\'s settings; to send to a project that the personal key does not see, run without POSTHOG_PERSONAL_API_KEY',
  })
}

async function one(api: Api, id: string): Promise<Owner> {
  const subject = { ...SUBJECT, projectId: id }
  return api.read(await api.get(`/api/projects/${id}/`, subject), ownerSchema, subject.what)
}

async function all(api: Api): Promise<Owner[]> {
  const owners: Owner[] = []
  for await (const page of projectPages(api, ownerSchema)) owners.push(...page)
  return owners
}
