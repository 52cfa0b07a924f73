import { z } from 'zod'
import { NetworkError } from '../../http/network-error.ts'
import type { Secret } from '../../http/secret.ts'
import type { ApiSettings } from '../../options/service-settings.ts'
import type { Api, AskedProject } from '../../service/api.ts'
import { ServiceError } from '../../service/errors.ts'
import { eventQuota } from '../../service/event-quota.ts'
import { Groups } from '../../service/groups.ts'
import { ingestionWarnings } from '../../service/ingestion-warnings.ts'
import { type Owner, projectOwners } from '../../service/key-owner.ts'
import { hasScope, type PersonalKey } from '../../service/personal-key.ts'
import { askRow } from '../../service/query.ts'
import { serviceQuestion } from '../../service/question.ts'
import { firstFew, number } from '../../text/words.ts'
import { becauseOf, type Finding, findingsOf } from '../finding.ts'
import type { Tools } from './subject.ts'

const key = findingsOf('personal-key')
const project = findingsOf('project')
const scopes = findingsOf('scopes')
const quota = findingsOf('quota')

/** Of more projects than these the names are not listed. */
const MOST_NAMED = 10

/** What else is known of the target. */
interface KnownOfTarget {
  readonly projectKey: Secret | undefined
  readonly sends: boolean
}

/** A scope that a personal key needs: by which commands and what for. */
interface Scope {
  readonly scope: string
  readonly commands: string
  readonly why: string
  /** How much it matters to a migration that a key lacks it. */
  readonly lacking: 'error' | 'warning' | 'note'
  /** How it is tried; what changes something is not. */
  readonly ask?: (project: AskedProject) => Promise<unknown>
}

const SCOPES: readonly Scope[] = [
  {
    scope: 'query:read',
    commands: 'import, check, verify and undo',
    why: 'import asks whether events arrive, and verify proves that they did',
    lacking: 'error',
    ask: (project) => askRow(project, { query: 'SELECT 1', what: 'a query', row: z.tuple([z.literal(1)]) }),
  },
  {
    scope: 'ingestion_warning:read',
    commands: 'import and verify',
    why: 'import and verify ask what PostHog warned of',
    lacking: 'warning',
    ask: (project) => ingestionWarnings(project, new Date().toISOString()),
  },
  {
    scope: 'group:read',
    commands: 'import, check, verify and groups',
    why: 'import looks whether events will show their groups',
    lacking: 'error',
    ask: (project) => new Groups(project).types(),
  },
  {
    scope: 'data_deletion:write',
    commands: 'undo',
    why: 'it asks PostHog to delete what an import brought',
    lacking: 'note',
  },
]

/** Asks the service something, and waits no longer than the tools say. */
type Ask<Of> = <T>(
  work: (of: Of) => Promise<T>,
) => Promise<{ readonly value: T } | { readonly error: unknown }>

/** Whose the personal key is, what it may do, and the name of the project that the project key belongs to. */
export async function checkProject(
  settings: ApiSettings,
  known: KnownOfTarget,
  { signal: interrupted, patienceMs: timeoutMs }: Tools,
): Promise<Finding[]> {
  const ask: Ask<Api> = (work) =>
    serviceQuestion(settings, { interrupted, timeoutMs }, work).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    )
  const [owners, may] = await Promise.all([ask(projectOwners), ask((api) => api.personalKey())])
  const told = 'error' in may ? undefined : may.value
  if ('error' in owners)
    return [...refused(settings, owners.error, known), ...(told ? lackingScopes(settings, told, known) : [])]
  const valid = key.ok(`valid, from ${settings.personalKey.from}${limitsOf(told)}`)
  const { finding, id } = nameBack(owners.value, known)
  if (id === undefined) {
    const cause = 'they are tried on the project itself, and which one is meant is not known'
    const untried = scopes.note('query:read and group:read could not be tried', { cause })
    return [valid, finding, ...(told ? toldScopes(settings, told, known) : [untried])]
  }
  const there: Ask<AskedProject> = (work) => ask((api) => work({ api, projectId: id }))
  const [tried, quotas] = await Promise.all([
    tryScopes(there, told, known),
    known.sends ? checkQuota(there) : [],
  ])
  const all = 'project:read, query:read, group:read and ingestion_warning:read'
  const has = told ? toldScopes(settings, told, known) : tried.length > 0 ? [] : [scopes.ok(all)]
  return [valid, finding, ...has, ...tried, ...quotas]
}

/** What a key is limited to, as PostHog tells it. */
function limitsOf(told: PersonalKey | undefined): string {
  const { projects = [], organizations = [] } = told ?? {}
  const to = (what: string, ids: readonly string[]) =>
    ids.length === 0 ? [] : [`${what}${ids.length === 1 ? '' : 's'} ${firstFew(ids, MOST_NAMED)}`]
  const limits = [...to('project', projects.map(String)), ...to('organization', organizations)]
  return limits.length > 0 ? `, limited to ${limits.join(' and ')}` : ''
}

/** What keeps the projects from being read: the way there, the key, its scope, or the project. */
function refused({ origin }: ApiSettings, error: unknown, { sends }: KnownOfTarget): Finding[] {
  const because = becauseOf(error)
  const unknown = project.note('the name of the project is not known', { cause: 'it could not be asked for' })
  if (isAway(error)) return [findingsOf('api').error(`${origin.value} can't be asked`, because), unknown]
  const status = error instanceof ServiceError ? error.status : undefined
  if (status === 401) {
    const remedy = `${because.remedy}; a key of one region of PostHog's cloud is not known in the other, so check the region too`
    return [key.error('the service does not know the personal key', { ...because, remedy }), unknown]
  }
  if (status === 403) {
    const cause = `${because.cause}; import uses it to tell whose the project key is`
    const text = 'the personal key may not see the project'
    return [scopes[sends ? 'error' : 'warning'](text, { ...because, cause }), unknown]
  }
  return [project.error("the project can't be read", because)]
}

/** The name of the project that events go to; else of those that the personal key sees. */
function nameBack(
  owners: readonly Owner[],
  { projectKey }: KnownOfTarget,
): { readonly finding: Finding; readonly id?: string } {
  const all = firstFew(
    owners.map(({ id, name }) => `"${name}" (${id})`),
    MOST_NAMED,
  )
  const id = owners.length === 1 ? String(owners[0]!.id) : undefined
  const only = id === undefined ? {} : { id }
  if (owners.length === 0) {
    const remedy = 'give it access to the project, and the scope project:read'
    return { finding: project.error('the personal key sees no project', { remedy }) }
  }
  if (!projectKey) {
    if (id !== undefined) return { finding: project.ok(`the project is ${all}`), id }
    const text = `the personal key sees ${owners.length} projects: ${all}`
    const remedy = 'set POSTHOG_PROJECT_ID to the one that is meant'
    return { finding: project.warning(text, { remedy }) }
  }
  const owner = owners.find(({ api_token }) => api_token === projectKey.reveal())
  if (owner) {
    const finding = project.ok(`the project key is that of "${owner.name}" (${owner.id})`)
    return { finding, id: String(owner.id) }
  }
  if (owners.some(({ api_token }) => api_token === undefined)) {
    const remedy =
      'compare the key with that of the project settings; import needs --accept project_unasked here'
    const text = `the service does not show whether the project key is that of ${all}`
    return { finding: project.error(text, { remedy }), ...only }
  }
  const cause = 'the service takes events under any key, and those under a wrong one are lost'
  const remedy =
    'take the "Project API key" of the right project\'s settings, or set POSTHOG_PROJECT_ID to its project'
  return { finding: project.error(`the project key is not that of ${all}`, { cause, remedy }), ...only }
}

/** The scopes that a key has, and what its lack of others means, as PostHog tells it. */
function toldScopes(settings: ApiSettings, told: PersonalKey, known: KnownOfTarget): Finding[] {
  const has = told.scopes.includes('*') ? 'every scope' : firstFew(told.scopes, MOST_NAMED)
  return [scopes.ok(`the personal key has ${has || 'no scope'}`), ...lackingScopes(settings, told, known)]
}

function lackingScopes(settings: ApiSettings, told: PersonalKey, known: KnownOfTarget): Finding[] {
  const remedy = `add it to the key, or make another, at ${settings.origin.value}/settings/user-api-keys`
  return SCOPES.filter(({ scope }) => !hasScope(told, scope)).map((one) => lacks(one, { remedy }, known))
}

function lacks(one: Scope, because: Partial<Finding>, known: KnownOfTarget): Finding {
  const needed = `${one.commands} can't do without: ${one.why}`
  const cause = because.cause ? `${because.cause}; ${needed}` : needed
  return scopes[levelOf(one, known)](`the personal key lacks ${one.scope}`, { ...because, cause })
}

/** What the key may not do, found by trying what it should have. */
async function tryScopes(
  ask: Ask<AskedProject>,
  told: PersonalKey | undefined,
  known: KnownOfTarget,
): Promise<Finding[]> {
  const tried = SCOPES.map(async (one): Promise<Finding[]> => {
    const { scope, ask: work, lacking } = one
    if (!work || (told && !hasScope(told, scope))) return []
    const answer = await ask(work)
    if (!('error' in answer)) return []
    const because = becauseOf(answer.error)
    const status = answer.error instanceof ServiceError ? answer.error.status : undefined
    // An older server has none of it.
    if (lacking !== 'error' && status === 404)
      return [scopes.note(`what needs ${scope} is not there`, because)]
    if (status !== 403) return [scopes.warning(`whether the key has ${scope} is not known`, because)]
    if (!told) return [lacks(one, because, known)]
    const text = `what needs ${scope} is refused, although the key has it`
    return [scopes[levelOf(one, known)](text, because)]
  })
  return (await Promise.all(tried)).flat()
}

/** How much it matters that a key may not do something. */
function levelOf({ lacking }: Scope, { sends }: KnownOfTarget): Scope['lacking'] {
  return lacking === 'error' && !sends ? 'warning' : lacking
}

/** Whether the project takes events at all in this period.*/
async function checkQuota(ask: Ask<AskedProject>): Promise<Finding[]> {
  const answer = await ask(eventQuota)
  if ('error' in answer)
    return [quota.note('the quota of events could not be asked for', becauseOf(answer.error))]
  const events = answer.value
  if (!events || events.usage === null || (events.limit === null && !events.limited)) return []
  const { usage, limit } = events
  const used = limit === null ? number(usage) : `${number(usage)} of ${number(limit)}`
  if (!events.limited) return [quota.ok(`${used} events of this period are used`)]
  const remedy = 'look at the billing page; over quota, the service says Ok and drops events'
  return [quota.error(`the project is over its quota of events: ${used} are used`, { remedy })]
}

/** True if no server of the service answered. */
function isAway(error: unknown): boolean {
  if (error instanceof NetworkError) return true
  return error instanceof Error && error.cause instanceof NetworkError
}
