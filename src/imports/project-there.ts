import type { ProjectAsked, ProjectSide } from '../checks/project-side.ts'
import { failureOf, type PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import type { Options } from '../options/options.ts'
import type { ReaderValues } from '../options/service-settings.ts'
import type { AskedProject } from '../service/api.ts'
import { retentionOf } from '../service/retention.ts'
import { MS_PER_SECOND } from '../text/units.ts'
import { askProject, ifAnswered, QUOTA_LEFT } from './ask-project.ts'
import type { DatasetHeld } from './held-there.ts'

/** The longest that the days of a whole history take: some 20 queries, of 10 s each at most. */
export const DAYS_MS = 240 * MS_PER_SECOND

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
  const unasked = (failure: PosthaulError) => {
    return { unasked: `could not ask what the project has: ${failure.message}`, failure }
  }
  if (input.failure?.code === 'unavailable') return unasked(input.failure)
  const asking = askProject(options, io, (project) => lookAt(project, input), DAYS_MS)
  return asking.then(
    (asked) => asked ?? {},
    (error: unknown) => unasked(failureOf(error)),
  )
}

async function lookAt(asked: AskedProject, input: ToImport): Promise<ProjectAsked> {
  const { api, projectId: id } = asked
  const [{ projectOwners }, { hasNoEvent }, { eventQuota }, { projectRules }] = await Promise.all([
    import('../service/key-owner.ts'),
    import('../service/events-by-day.ts'),
    import('../service/event-quota.ts'),
    import('../service/project-rules.ts'),
  ])
  const owner = (await projectOwners(api)).find((project) => String(project.id) === id)
  const isEmpty = await hasNoEvent(asked)
  const side = isEmpty ? { days: [] } : await daysThere(asked, input)
  let unasked: string | undefined
  const quota = await ifAnswered(eventQuota(asked), QUOTA_LEFT, (what) => {
    unasked = `could not ask ${what}`
  })
  const retention = owner && retentionOf(owner, Date.now())
  // Of files they are asked for before these are read.
  const rules = input.dataset && (await projectRules(asked))
  const project = { id, name: owner?.name ?? id, isEmpty, quota, retention, rules, ...side }
  return { project, unasked, answerMs: api.answerMs }
}

/** What a project has of the days of an input, and what of its events. */
export async function daysThere(
  project: AskedProject,
  { days, importIds, dataset }: Omit<ToImport, 'failure'>,
): Promise<Pick<ProjectSide, 'days' | 'held'>> {
  const [{ eventsByDay }, { plusDays }, { heldThere, vendorOf }] = await Promise.all([
    import('../service/events-by-day.ts'),
    import('../service/event-filter.ts'),
    import('./held-there.ts'),
  ])
  const wanted = new Set(days)
  const sorted = [...wanted].sort()
  const [first, last] = [sorted[0], sorted.at(-1)]
  if (first === undefined || last === undefined) return { days: [] }
  const own = { vendor: dataset ? vendorOf(dataset.manifest) : 'posthog', importIds }
  const all = await eventsByDay(project, { first: plusDays(first, -1), last: plusDays(last, 1) }, own)
  const there = all.filter(({ day }) => wanted.has(day))
  const full = new Set(all.map(({ day }) => day))
  const isBeside = (day: string) => !full.has(day) && [-1, 1].some((days) => full.has(plusDays(day, days)))
  return { days: there, held: dataset && (await heldThere(project, dataset, there, sorted.filter(isBeside))) }
}
