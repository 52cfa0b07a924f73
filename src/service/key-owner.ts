import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { Secret } from '../http/secret.ts'
import type { ApiSettings } from '../options/service-settings.ts'
import { firstFew } from '../text/words.ts'
import type { Api } from './api.ts'
import { ServiceError, shapeError } from './errors.ts'
import { listPages } from './next-page.ts'
import type { PersonalKey } from './personal-key.ts'
import { retentionShape } from './retention.ts'

/** Of more projects than these the names are not listed. */
const MOST_NAMED = 10

const SUBJECT = { what: 'the project', scope: 'project:read' }
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
  return named === undefined ? all(api, ownerSchema) : [await projectById(api, named)]
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
  throw wrongKey(projectKey, owners)
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

function wrongKey({ from }: Secret, owners: readonly Owner[]): WrongKey {
  const [first] = owners
  const whose =
    owners.length === 1
      ? `is not that of project ${first!.id} (${first!.name})`
      : `is not that of any of the ${owners.length} projects that the personal key sees`
  return new WrongKey(`the project key from ${from} ${whose}`)
}

/** The project of this id. `isOptional`: it is asked for once only. */
export function projectById(api: Api, id: string, isOptional = false): Promise<Owner> {
  return one(api, id, ownerSchema, isOptional)
}

async function one<T extends Project>(
  api: Api,
  id: string,
  schema: z.ZodType<T>,
  isOptional = false,
): Promise<T> {
  const subject = { ...SUBJECT, projectId: id, isOptional }
  const owner = api.read(await api.get(`/api/projects/${id}/`, subject), schema, subject.what)
  // A cache that answers for another project would vouch for its key.
  if (String(owner.id) === id) return owner
  throw shapeError(api.origin, subject.what, `it is of project ${owner.id}, and ${id} was asked for`)
}

const projectSchema = z.object({ id: z.int().min(0), name: z.string() })

export type Project = z.infer<typeof projectSchema>

const PROJECTS = { what: 'the projects', scope: 'project:read' }

/** The projects that the key may see. */
export function listProjects(api: Api): Promise<Project[]> {
  return all(api, projectSchema)
}

/** All projects that the key may see, each read with `schema`. A key that is limited to projects may not ask for the list. */
async function all<T extends Project>(api: Api, schema: z.ZodType<T>): Promise<T[]> {
  const key = await api.personalKey()
  if (key && key.projects.length > 0) {
    const found = await Promise.all(key.projects.map((id) => oneIfThere(api, String(id), schema)))
    return found.filter((project) => project !== undefined)
  }
  const projects: T[] = []
  for await (const page of listPages(api, '/api/projects/', schema, PROJECTS)) projects.push(...page)
  return projects
}

/** The same for one that may have been deleted since the key was made. */
async function oneIfThere<T extends Project>(
  api: Api,
  id: string,
  schema: z.ZodType<T>,
): Promise<T | undefined> {
  try {
    return await one(api, id, schema)
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined
    throw error
  }
}

/** The id of the named project, or of the only one that the key sees. Throws `config` if there are several. */
export async function chooseProject(api: Api): Promise<string> {
  const given = api.settings.projectId
  if (given) return given.value
  const key = await api.personalKey()
  if (key?.projects.length === 1) return String(key.projects[0])
  const projects = key && key.projects.length > 0 ? await named(api, key) : await listProjects(api)
  if (projects.length === 1) return String(projects[0]!.id)
  const all = projects.map(({ id, name }) => (name === undefined ? String(id) : `${id} (${name})`))
  throw new PosthaulError(
    projects.length === 0
      ? `${api.origin}: the key sees no project`
      : `which project? the key sees ${projects.length}: ${firstFew(all, MOST_NAMED)}`,
    { code: 'config', hint: 'set POSTHOG_PROJECT_ID or give --project-id' },
  )
}

/** The projects of a key that is limited to them, the first with their names where the key may read these. */
function named(api: Api, { projects }: PersonalKey): Promise<{ id: number; name?: string }[]> {
  return Promise.all(
    projects.map(async (id, i) => {
      if (i >= MOST_NAMED) return { id }
      try {
        return await one(api, String(id), projectSchema)
      } catch (error) {
        if (error instanceof ServiceError && error.fate !== 'retry') return { id }
        throw error
      }
    }),
  )
}
