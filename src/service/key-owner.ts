import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { firstFew } from '../text/words.ts'
import type { Api } from './api.ts'
import { ServiceError, shapeError } from './errors.ts'
import { listPages } from './next-page.ts'
import { retentionShape } from './retention.ts'

/** Of more projects than these the names are not listed. */
const MOST_NAMED = 10

const SUBJECT = { what: 'the project', scope: 'project:read' }
const PROJECTS = { what: 'the projects', scope: 'project:read' }
/** Some installations do not show the token. */
const ownerSchema = z.object({
  id: z.int().min(0),
  name: z.string(),
  api_token: z.string().optional(),
  ...retentionShape,
})
/** A project, as the owner of a project key. */
export type Owner = z.infer<typeof ownerSchema>

/** The project that is named, or all that the personal key sees. */
export async function projectOwners(api: Api): Promise<Owner[]> {
  const named = api.settings.projectId?.value
  return named === undefined ? allProjects(api) : [await projectById(api, named)]
}

/**
 * The id of the project that the project key belongs to. The service accepts events under any well-formed key, and those
 * sent under a wrong one are lost. So a key of no owner is an `auth` error, and so is an owner who can't be told.
 */
export function ownerAmong(owners: readonly Owner[], projectKey: Secret, settings: ApiSettings): string {
  const owner = owners.find(({ api_token }) => api_token === projectKey.reveal())
  if (owner) return String(owner.id)
  const at = settings.origin.value
  if (owners.length === 0) {
    throw new PosthaulError(`${at}: the personal key from ${settings.personalKey.from} sees no project`, {
      code: 'auth',
      hint: 'give it access to the project, and the scope project:read',
    })
  }
  if (owners.some(({ api_token }) => api_token === undefined)) {
    throw new PosthaulError(`${at} does not show the project keys`, {
      code: 'auth',
      hint: 'compare the key with that of the project settings',
    })
  }
  const [first] = owners
  const seen =
    owners.length === 1
      ? `project ${first!.id} (${first!.name})`
      : `any of the ${owners.length} projects that the personal key sees`
  throw new WrongKey(`the project key from ${projectKey.from} is not that of ${seen}`)
}

/** The project key is of no project, or of none that the personal key sees. */
export class WrongKey extends PosthaulError {
  constructor(message: string) {
    super(message, {
      code: 'auth',
      hint: 'take the "Project API key" of the project settings, and the address of its region',
    })
  }
}

/** The project of this id. `isOptional`: it is asked for once only. */
export async function projectById(api: Api, id: string, isOptional = false): Promise<Owner> {
  const subject = { ...SUBJECT, projectId: id, isOptional }
  const owner = api.read(await api.get(`/api/projects/${id}/`, subject), ownerSchema, subject.what)
  // A cache that answers for another project would vouch for its key.
  if (String(owner.id) === id) return owner
  throw shapeError(api.origin, subject.what, `it is of project ${owner.id}, and ${id} was asked for`)
}

export type Project = Pick<Owner, 'id' | 'name'>

/** The projects that the key may see. */
export async function listProjects(api: Api): Promise<Project[]> {
  return (await allProjects(api)).map(({ id, name }) => ({ id, name }))
}

/** All projects that the key may see. A key that is limited to projects may not ask for the list. */
async function allProjects(api: Api): Promise<Owner[]> {
  const key = await api.personalKey()
  if (key && key.projects.length > 0) {
    const asked = key.projects.map((id) => projectById(api, String(id)).catch(unlessMissing))
    return (await Promise.all(asked)).filter((project) => project !== undefined)
  }
  const projects: Owner[] = []
  for await (const page of listPages(api, '/api/projects/', ownerSchema, PROJECTS)) projects.push(...page)
  return projects
}

/** One may have been deleted since the key was made. */
function unlessMissing(error: unknown): undefined {
  if (!(error instanceof ServiceError && error.status === 404)) throw error
}

/** The id of the named project, or of the only one that the key sees. Throws `config` if there are several. */
export async function chooseProject(api: Api): Promise<string> {
  const given = api.settings.projectId
  if (given) return given.value
  const limited = (await api.personalKey())?.projects ?? []
  const projects = limited.length > 0 ? limited.map((id) => ({ id, name: '' })) : await listProjects(api)
  if (projects.length === 1) return String(projects[0]!.id)
  const all = projects.map(({ id, name }) => (name === '' ? String(id) : `${id} (${name})`))
  throw new PosthaulError(
    projects.length === 0
      ? `${api.origin}: the key sees no project`
      : `which project? the key sees ${projects.length}: ${firstFew(all, MOST_NAMED)}`,
    { code: 'config', hint: 'set POSTHOG_PROJECT_ID or give --project-id' },
  )
}
