import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import type { Api } from './api.ts'
import { listPages } from './next-page.ts'

const projectSchema = z.object({ id: z.int().min(0), name: z.string() })

export type Project = z.infer<typeof projectSchema>

const SUBJECT = { what: 'the projects', scope: 'project:read' }

/** The projects that the key may see. */
export async function listProjects(api: Api): Promise<Project[]> {
  const projects: Project[] = []
  for await (const page of projectPages(api, projectSchema)) projects.push(...page)
  return projects
}

/** The same, page by page, each project read with `schema`. */
export async function* projectPages<T>(api: Api, schema: z.ZodType<T>): AsyncGenerator<T[]> {
  yield* listPages(api, '/api/projects/', schema, SUBJECT)
}

/** The id of the named project, or of the only one that the key sees. Throws `config` if there are several. */
export async function chooseProject(api: Api): Promise<string> {
  const named = api.settings.projectId
  if (named) return named.value
  const projects = await listProjects(api)
  if (projects.length === 1) return String(projects[0]!.id)
  const some = projects.slice(0, 10).map(({ id, name }) => `${id} (${name})`)
  throw new PosthaulError(
    projects.length === 0
      ? `${api.origin}: the key sees no project`
      : `which project? the key sees ${projects.length}: ${some.join(', ')}${projects.length > 10 ? ', …' : ''}`,
    { code: 'config', hint: 'set POSTHOG_PROJECT_ID or give --project-id' },
  )
}
