import { z } from 'zod'
import { type AroundCohort, given, restOf } from '../../around/index.ts'
import { retrying } from '../../http/index.ts'
import { members } from '../../record/index.ts'
import { NotTold } from '../not-told.ts'
import { cutShort } from '../vendor-client.ts'
import { appList, mixpanelRefusal } from './app-api.ts'
import { askPage, engagePath, profilePages } from './profiles.ts'
import { type MixpanelCall, mixpanelPath, type QueryApi } from './query-api.ts'

const cohortSchema = z.looseObject({
  id: z.int().positive(),
  name: z.string().nullish(),
  description: z.string().nullish(),
})
type Cohort = z.output<typeof cohortSchema>

/** Members of a cohort that say who belongs to it. No document names them. */
const DEFINING = ['definition', 'groups', 'behaviors', 'selector', 'filters'] as const

/**
 * The cohorts, by `POST /api/query/cohorts/list` (docs.mixpanel.com/reference/cohorts-list), which has no definitions. Those
 * come from `GET /api/app/projects/<id>/cohorts`, which no document names; where it is refused, a note says so.
 */
export async function cohortsOf(query: QueryApi, app: QueryApi, call: MixpanelCall): Promise<AroundCohort[]> {
  const path = mixpanelPath('/api/query/cohorts/list', query.projectId, {})
  const asking = { method: 'POST', expected: mixpanelRefusal } as const
  const listed = await query.ask(path, z.array(cohortSchema), call, asking)
  const known = await appList(app, { path: 'cohorts', row: cohortSchema }, call).catch((error: unknown) => {
    if (!(error instanceof NotTold)) throw error
    call.note(`Mixpanel told its cohorts, and not what defines them: ${error.message}`)
    return []
  })
  const cohorts = new Map(known.map((cohort) => [cohort.id, cohort]))
  for (const cohort of listed) cohorts.set(cohort.id, { ...cohorts.get(cohort.id), ...cohort })
  return [...cohorts.values()].map(cohortRow)
}

/** Without what changes whenever somebody looks: two pulls of the same cohorts make the same file. */
function cohortRow(cohort: Cohort): AroundCohort {
  const { id, name, description } = cohort
  const definition = restOf(Object.fromEntries(DEFINING.map((member) => [member, cohort[member]])), [])
  const more = restOf(cohort, ['id', 'name', 'description', 'project_id', 'last_queried', ...DEFINING])
  return {
    id: String(id),
    name: name || `cohort ${id}`,
    ...given({ description, definition, more }),
    file: null,
    members: null,
  }
}

/**
 * The members of a cohort, a page at a time, by `POST /api/query/engage` with `filter_by_cohort` (docs.mixpanel.com/reference/
 * engage-query): those without a profile, too.
 */
export async function cohortMembers(
  api: QueryApi,
  { id }: AroundCohort,
  call: MixpanelCall,
): Promise<AsyncIterable<readonly string[]>> {
  const wanted = {
    filter_by_cohort: `{"id":${id}}`,
    include_all_users: 'true',
    // Profiles with all they have would be a hundred times as long.
    output_properties: '["$distinct_id"]',
  }
  const path = engagePath(api.projectId)
  const pages = profilePages(api.client.vendor, wanted, (form) =>
    api.inTurn(call, (retry) => {
      return retrying(
        () => askPage(api.client, path, form, { signal: call.signal, expected: mixpanelRefusal }),
        retry,
      )
    }),
  )
  // The first page tells whether Mixpanel tells members at all.
  const first = await pages.next()
  return idsOf(first, pages, call)
}

async function* idsOf(
  first: IteratorResult<readonly string[]>,
  pages: AsyncGenerator<readonly string[]>,
  { note }: MixpanelCall,
): AsyncGenerator<readonly string[]> {
  let nameless = 0
  for (let page = first; !page.done; page = await pages.next()) {
    const ids = page.value.map(idOf)
    const named = ids.filter((id) => id !== '')
    nameless += ids.length - named.length
    yield named
  }
  if (nameless > 0) note(`${nameless} members of a cohort have no distinct_id: left out`)
}

/** The id with the digits that it came with: one can be a number that no double holds. */
function idOf(profile: string): string {
  const [, text] = members(profile).find(([name]) => name === '$distinct_id') ?? []
  if (text === undefined) throw cutShort('Mixpanel sent a member of a cohort without $distinct_id')
  if (text === 'null') return ''
  return text.startsWith('"') ? (JSON.parse(text) as string) : text
}
