import type { ProjectAsked } from '../audit/project-side.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { CLOUD, hostsOf } from '../options/hosts.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { Target } from '../report/check-data.ts'
import type { Api } from '../service/api.ts'

/** What is to be imported, as the project is asked about it. */
export interface ToImport {
  /** The UTC days of its events. */
  readonly days: readonly string[]
  /** The values of `$import_job_id` that its events carry; null where they can't be told by it. */
  readonly importIds: readonly string[] | null
  /** What went wrong with an earlier question. A service that did not answer is not waited for again. */
  readonly failure: PosthaulError | undefined
}

/** The project, and where it was looked for. */
export interface ProjectThere {
  readonly project: ProjectAsked
  readonly target: Target
}

/** What the project has of the days of an input, for those who only look: that nobody can be asked is no failure. */
export async function projectThere(
  options: Options<ReaderValues>,
  input: ToImport,
  io: Io,
): Promise<ProjectThere> {
  const { host, region } = options.resolved
  const set = host?.value ?? (region && CLOUD[region.value].api)
  const origin = set === undefined ? undefined : hostsOf(set).api
  const target = { origin, isCloud: Object.values(CLOUD).some(({ api }) => api === origin) }
  return { project: await askProject(options, input, io), target }
}

async function askProject(options: Options<ReaderValues>, input: ToImport, io: Io): Promise<ProjectAsked> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return {}
    if (input.failure?.code === 'unavailable') throw input.failure
    // Without a key nobody is asked.
    const { question } = await import('./import-guards.ts')
    return { project: await question(settings, io, (api) => lookAt(api, input)) }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    const saysGroups = error.message === input.failure?.message
    return { unasked: `could not ask what the project has: ${error.message}`, saysGroups }
  }
}

async function lookAt(
  api: Api,
  { days, importIds }: ToImport,
): Promise<NonNullable<ProjectAsked['project']>> {
  const [{ projectOwners }, { eventsByDay, hasNoEvent }, { chooseProject }] = await Promise.all([
    import('../service/key-owner.ts'),
    import('../service/events-by-day.ts'),
    import('../service/projects.ts'),
  ])
  const id = await chooseProject(api)
  const owner = (await projectOwners(api)).find((project) => String(project.id) === id)
  const isEmpty = await hasNoEvent(api, id)
  const wanted = new Set(days)
  const sorted = [...wanted].sort()
  const [first, last] = [sorted[0], sorted.at(-1)]
  const there =
    isEmpty || first === undefined || last === undefined
      ? []
      : await eventsByDay(api, id, { first, last, importIds })
  return { id, name: owner?.name ?? id, isEmpty, days: there.filter(({ day }) => wanted.has(day)) }
}
