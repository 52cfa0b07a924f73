import type { ProjectAsked, ProjectSide } from '../checks/project-side.ts'
import { PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import { apiSettingsIfAny, type ReaderValues } from '../options/service-settings.ts'
import type { Api } from '../service/api.ts'
import { retentionOf } from '../service/retention.ts'
import type { DatasetHeld } from './held-there.ts'

/** What is to be imported, as the project is asked about it. */
interface ToImport {
  /** The UTC days of its events. */
  readonly days: readonly string[]
  /** The values of `$import_job_id` that its events carry; null where they can't be told by it. */
  readonly importIds: readonly string[] | null
  /** The dataset; undefined for files. */
  readonly dataset?: DatasetHeld | undefined
  /** What went wrong with an earlier question. A service that did not answer is not waited for again. */
  readonly failure: PosthaulError | undefined
}

/** What the project has of the days of an input, for those who only look: that nobody can be asked is no failure. */
export async function projectThere(
  options: Options<ReaderValues>,
  input: ToImport,
  io: Io,
): Promise<ProjectAsked> {
  try {
    const settings = await apiSettingsIfAny(options, io.stdin)
    if (!settings) return {}
    if (input.failure?.code === 'unavailable') throw input.failure
    // Without a key nobody is asked.
    const { DAYS_MS, question } = await import('./import-guards.ts')
    return await question(settings, io, (api) => lookAt(api, input), DAYS_MS)
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    return { unasked: `could not ask what the project has: ${error.message}`, failure: error }
  }
}

async function lookAt(api: Api, input: ToImport): Promise<ProjectAsked> {
  const [{ projectOwners }, { hasNoEvent }, { chooseProject }, { eventQuota }, { projectRules }] =
    await Promise.all([
      import('../service/key-owner.ts'),
      import('../service/events-by-day.ts'),
      import('../service/key-owner.ts'),
      import('./event-quota.ts'),
      import('../service/project-rules.ts'),
    ])
  const id = await chooseProject(api)
  const owner = (await projectOwners(api)).find((project) => String(project.id) === id)
  const isEmpty = await hasNoEvent(api, id)
  const side = isEmpty ? { days: [] } : await daysThere(api, id, input)
  let unasked: string | undefined
  const quota = await eventQuota(api, id, (what) => {
    unasked = `could not ask ${what}`
  })
  const retention = owner && retentionOf(owner, Date.now())
  // Of files they are asked for before these are read.
  const rules = input.dataset && (await projectRules(api, id))
  const project = { id, name: owner?.name ?? id, isEmpty, quota, retention, rules, ...side }
  return { project, unasked, answerMs: api.answerMs }
}

/** What a project has of the days of an input, and what of its events. */
export async function daysThere(
  api: Api,
  projectId: string,
  { days, importIds, dataset }: Omit<ToImport, 'failure'>,
): Promise<Pick<ProjectSide, 'days' | 'held'>> {
  const [{ eventsByDay }, { heldThere, vendorOf }] = await Promise.all([
    import('../service/events-by-day.ts'),
    import('./held-there.ts'),
  ])
  const wanted = new Set(days)
  const sorted = [...wanted].sort()
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return { days: [] }
  const family = { vendor: dataset ? vendorOf(dataset.manifest) : 'posthog' }
  const all = await eventsByDay(api, projectId, { first, last, importIds }, family)
  const there = all.filter(({ day }) => wanted.has(day))
  return { days: there, held: dataset && (await heldThere(api, projectId, dataset, there)) }
}
