import type { Hono } from 'hono'
import { z } from 'zod'
import { sum } from '../../text/index.ts'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { access } from '../routes/access.ts'
import { invalid, offsetPage } from '../routes/api-error.ts'
import type { EventStore } from '../store/store.ts'
import { type MemberColumn, membersIn } from './member-file.ts'
import { answered, bodyOf, fieldsOf, liveIn, Shelf, shelfRoutes, type Thing } from './shelf.ts'

const COHORT = z.object({
  name: z.string().trim().max(400).nullable(),
  description: z.string().trim().max(1000).optional(),
  is_static: z.boolean().optional(),
  filters: z.record(z.string(), z.unknown()).optional(),
  deleted: z.boolean().optional(),
  _create_static_person_ids: z.array(z.string()).optional(),
})

/** The most ids that one request adds. */
const MOST_ADDED = 1000

/** How the persons of each kind of column are found: a row an id and its person. */
const PERSONS: Readonly<Record<MemberColumn, string>> = {
  distinct_id: 'SELECT d.person_id FROM person_distinct_ids d JOIN given ON d.distinct_id = given.id',
  person_id: 'SELECT p.id FROM persons p JOIN given ON CAST(p.id AS VARCHAR) = lower(given.id)',
  email: `SELECT p.id FROM persons p JOIN given ON json_extract_string(p.properties, '$.email') = given.id`,
}

/** Static cohorts, made and filled by JSON or by a file; others are only kept. */
export function cohortRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const { store } = context
  const allow = access(context)
  const writes = allow('cohort:write')
  const shelf = new Shelf()
  const members = new Map<number, Set<string>>()
  /** Cohorts whose file is still being read, as far as who asks can tell. */
  const filling = new Set<number>()
  const base = '/api/projects/:id/cohorts'

  const shown = ({ _create_static_person_ids: _, ...thing }: Thing) => ({
    ...thing,
    is_calculating: filling.has(thing.id),
    count: filling.has(thing.id) ? null : (members.get(thing.id)?.size ?? null),
    errors_calculating: 0,
    cohort_type: null,
  })
  const add = async (thing: Thing, column: MemberColumn, ids: readonly string[]): Promise<number> => {
    const [found, unmatched] = await personsOf(store, column, ids)
    const known = members.get(thing.id) ?? new Set()
    members.set(thing.id, known)
    for (const person of found) known.add(person)
    return unmatched
  }
  /** Reads a file of members into a cohort. */
  const fill = async (thing: Thing, file: File): Promise<void> => {
    const { column, ids } = membersIn(await file.text())
    const unmatched = await add(thing, column, ids)
    if (context.dialect.deployment !== 'old') {
      thing.last_import_total_count = ids.length
      thing.last_import_unmatched_count = unmatched
    }
    filling.add(thing.id)
  }

  // Before the routes of the shelf: a body of another kind goes on to them.
  app.post(base, writes, async (c, next) => {
    const form = await formOf(c.req.raw)
    const fields = form?.fields ?? fieldsOf(COHORT, await bodyOf(c))
    if (fields.is_static !== true) return next()
    const parsed = fieldsOf(COHORT, fields)
    // What is in the file is looked at before the cohort is there.
    if (form?.file) membersIn(await form.file.text())
    const { _create_static_person_ids: ids, ...rest } = parsed
    const thing = shelf.make({
      description: '',
      filters: {},
      ...rest,
      created_at: new Date(context.now()).toISOString(),
    })
    if (form?.file) await fill(thing, form.file)
    else await add(thing, 'person_id', ids ?? [])
    return answered(c, context, shown(thing))
  })
  app.patch(`${base}/:thing`, writes, async (c, next) => {
    const form = await formOf(c.req.raw)
    if (!form?.file) return next()
    const thing = liveIn(shelf, c)
    await fill(thing, form.file)
    return c.json(shown(thing))
  })
  app.patch(`${base}/:thing/add_persons_to_static_cohort`, writes, async (c) => {
    const thing = liveIn(shelf, c)
    const body = z.object({ person_ids: z.array(z.string()).min(1).max(MOST_ADDED) })
    const { person_ids: ids } = fieldsOf(body, await bodyOf(c))
    if ((await add(thing, 'person_id', ids)) === ids.length) throw invalid('No valid users to add to cohort')
    return c.json({ success: true })
  })
  app.get(`${base}/:thing`, allow('cohort:read'), (c) => {
    const answer = shown(liveIn(shelf, c))
    // The task has ended by the time that it is asked about again.
    filling.delete(answer.id)
    return c.json(answer)
  })
  app.get(`${base}/:thing/persons`, allow('cohort:read'), allow('person:read'), async (c) => {
    const { id } = liveIn(shelf, c)
    const ids = [...(members.get(id) ?? [])].sort()
    const page = offsetPage(c, ids)
    return c.json({ ...page, results: await shownPersons(store, page.results) })
  })
  const otherwise = { description: '', is_static: false }
  shelfRoutes(app, context, { path: 'cohorts', scope: 'cohort', fields: COHORT, otherwise, shown }, shelf)
}

interface MemberForm {
  readonly fields: Record<string, unknown>
  readonly file: File | undefined
}

/** The parts of a multipart body; undefined for a body of another kind. */
async function formOf(request: Request): Promise<MemberForm | undefined> {
  if (!request.headers.get('content-type')?.startsWith('multipart/form-data')) return undefined
  const form = await request.clone().formData()
  const file = form.get('csv')
  const fields = Object.fromEntries([...form].filter(([name]) => name !== 'csv'))
  return {
    fields: { ...fields, ...('is_static' in fields && { is_static: fields.is_static === 'true' }) },
    file: file instanceof File ? file : undefined,
  }
}

/** The persons of these ids, and how many ids have none. */
async function personsOf(
  store: EventStore,
  column: MemberColumn,
  ids: readonly string[],
): Promise<readonly [string[], number]> {
  const given = `WITH given AS (SELECT unnest(from_json(CAST($ids AS JSON), '["VARCHAR"]')) AS id)`
  const rows = await store.rows(
    `${given} SELECT CAST(person_id AS VARCHAR), count(*) FROM (${PERSONS[column]}) AS found(person_id) GROUP BY 1`,
    ['persons'],
    { ids: JSON.stringify([...new Set(ids)]) },
  )
  const found = sum(rows, ([, count]) => Number(count))
  return [rows.map(([person]) => String(person)), new Set(ids).size - found]
}

async function shownPersons(store: EventStore, ids: readonly string[]): Promise<object[]> {
  if (ids.length === 0) return []
  const rows = await store.rows(
    `SELECT CAST(id AS VARCHAR), to_json(distinct_ids), CAST(properties AS VARCHAR) FROM persons
     WHERE list_contains(from_json(CAST($ids AS JSON), '["VARCHAR"]'), CAST(id AS VARCHAR)) ORDER BY 1`,
    ['persons'],
    { ids: JSON.stringify(ids) },
  )
  return rows.map(([id, distinct, properties]) => ({
    id,
    uuid: id,
    type: 'person',
    distinct_ids: JSON.parse(String(distinct)),
    properties: JSON.parse(String(properties)),
  }))
}
