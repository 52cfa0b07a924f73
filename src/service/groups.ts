import { z } from 'zod'
import { PosthaulError } from '../errors.ts'
import { utf8Text } from '../http/network-error.ts'
import { members } from '../record/json-values.ts'
import { MICROS_PER_SECOND, MS_PER_SECOND } from '../text/units.ts'
import type { Api, AskedProject } from './api.ts'
import { type AskedOf, ServiceError, shapeError } from './errors.ts'
import { cutPage, nextPath, type PageRow } from './next-page.ts'
import { askRow, countCell, sqlText, sqlUtc, timeCell } from './query.ts'

const SCOPE = 'group:read'

const typesSchema = z.array(
  z.object({
    group_type: z.string(),
    group_type_index: z.int().min(0),
    // Old servers do not say it.
    created_at: z.iso.datetime({ offset: true }).nullish(),
  }),
)

const groupSchema = z.object({
  group_type_index: z.int().min(0),
  group_key: z.string(),
  created_at: z.string(),
})

const tallySchema = z.array(z.object({ name: z.unknown(), count: z.int().min(0) }))
const definitionsSchema = z.record(z.string().regex(/^\d+$/), tallySchema)
// Older servers give a bare list, newer ones an object with the list in it.
const valuesSchema = z.union([
  tallySchema,
  z.object({ results: tallySchema }).transform((page) => page.results),
])

/** One group. */
export interface Group extends Readonly<z.infer<typeof groupSchema>> {
  /** JSON on one line, otherwise as the service wrote it: numbers keep their digits. `null` if there is none. */
  readonly group_properties: string
}
/** A property's name or value, and how many groups have it. */
export type GroupTally = z.infer<typeof tallySchema>[number]

export interface GroupType {
  readonly name: string
  readonly index: number
  /** Queries show a group of the type only on events from this instant on (microseconds); null: on all. */
  readonly since: number | null
}

/** The groups endpoints of one project. */
export class Groups {
  readonly api: Api
  readonly projectId: string

  constructor({ api, projectId }: AskedProject) {
    this.api = api
    this.projectId = projectId
  }

  /** The project's group types, by index. */
  async types(): Promise<GroupType[]> {
    const subject = this.subject('the group types')
    const ask = async (path: string) => await this.api.get(path, subject)
    const answer =
      (await orMissing(ask(this.path('groups_types/')))) ??
      (await ask(`/api/${this.projectId}/groups_types/`))
    const types = this.api.read(answer, typesSchema, subject.what)
    return types
      .map(({ group_type, group_type_index, created_at }) => ({
        name: group_type,
        index: group_type_index,
        since: sinceOf(created_at),
      }))
      .sort((a, b) => a.index - b.index)
  }

  /** The group with this key; undefined if there is none. */
  async find(type: GroupType, key: string): Promise<Group | undefined> {
    // Without skip_create_notebook, newer servers would create a notebook; this must only read.
    const query = { group_type_index: String(type.index), group_key: key, skip_create_notebook: 'true' }
    const subject = this.subject(`the ${type.name} ${JSON.stringify(key)}`)
    const answer = await orMissing(this.api.get(this.path('groups/find/', query), subject))
    if (!answer) return undefined
    const value = this.api.read(answer, z.unknown(), subject.what)
    const found = this.read({ text: utf8Text(answer.bytes), value }, subject.what)
    if (found.group_key === key && found.group_type_index === type.index) return found
    throw shapeError(this.api.origin, subject.what, 'it is of another group')
  }

  /** Reads a group from its JSON. `what` describes it in errors. */
  read({ text, value }: PageRow, what: string): Group {
    const group = this.api.check(value, groupSchema, what)
    const properties = members(text).findLast(([name]) => name === 'group_properties')?.[1]
    return { ...group, group_properties: oneLine(properties ?? 'null') }
  }

  /** The names of the properties of groups, by type index. */
  async propertyDefinitions(): Promise<Record<string, GroupTally[]>> {
    const subject = this.subject('the property definitions')
    const answer = await orMissing(this.api.get(this.path('groups/property_definitions/'), subject))
    if (answer) return this.api.read(answer, definitionsSchema, subject.what)
    throw new PosthaulError(`${this.api.origin}: this server no longer lists the properties of groups`, {
      code: 'config',
      hint: 'newer servers dropped it; posthaul groups list shows the properties of each group',
    })
  }

  /** The commonest values of a property (the service gives at most 20). */
  async propertyValues(type: GroupType, property: string, value?: string): Promise<GroupTally[]> {
    const query = {
      group_type_index: String(type.index),
      key: property,
      ...(value !== undefined && { value }),
    }
    const subject = this.subject(`the values of ${property}`)
    const answer = await this.api.get(this.path('groups/property_values/', query), subject)
    return this.api.read(answer, valuesSchema, subject.what)
  }

  /** A path below the project. */
  path(below: string, query: Readonly<Record<string, string>> = {}): string {
    const search = new URLSearchParams(query).toString()
    return `/api/projects/${this.projectId}/${below}${search && `?${search}`}`
  }

  subject(what: string): AskedOf {
    return { what, scope: SCOPE, projectId: this.projectId }
  }
}

/** JSON on one line. Line breaks become blanks; they are only between tokens, as JSON strings contain none. */
export function oneLine(json: string): string {
  return json.replaceAll(/[\r\n]+/g, ' ')
}

async function orMissing<T>(promise: Promise<T>): Promise<T | undefined> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof ServiceError && error.status === 404) return undefined
    throw error
  }
}

/** The service compares whole seconds. */
function sinceOf(createdAt: string | null | undefined): number | null {
  return createdAt ? Math.floor(Date.parse(createdAt) / MS_PER_SECOND) * MICROS_PER_SECOND : null
}

/** The service gave the same page twice. The list would never end. */
export class RepeatedPage extends PosthaulError {
  constructor(message: string, hint: string) {
    super(message, { code: 'unavailable', hint })
    this.name = 'RepeatedPage'
  }
}

interface PageOptions {
  /** Only groups with this text in their name or key. */
  readonly search?: string
  /** The path to begin at: an earlier run's `nextPath`. */
  readonly from?: string
  /** The fingerprints of the pages that earlier runs have read. */
  readonly seen?: Iterable<string>
}

/** All groups of a type, page by page, newest first. Throws RepeatedPage if a page comes a second time. */
export async function* groupPages(
  groups: Groups,
  type: GroupType,
  { search, from, seen = [] }: PageOptions = {},
) {
  const query = { group_type_index: String(type.index), ...(search !== undefined && { search }) }
  const subject = groups.subject(`the groups of type ${type.name}`)
  const { api } = groups
  const known = new Set(seen)
  let path: string | undefined = from ?? groups.path('groups/', query)
  while (path !== undefined) {
    const page = cutPage(api, await api.get(path, subject), subject.what)
    // A server answers a cursor that it no longer knows with page one. Without this check, an export would never end.
    if (page.rows.length > 0 && known.has(page.fingerprint)) {
      throw new RepeatedPage(
        `${api.origin}: the list of groups of type ${type.name} came back to an earlier page`,
        'the cursor has expired, or groups change as they are read; run the command again',
      )
    }
    known.add(page.fingerprint)
    path = page.next === undefined ? undefined : nextPath(page.next, api.origin, path)
    const found = page.rows.map((row) => groups.read(row, subject.what))
    if (found.some(({ group_type_index: index }) => index !== type.index))
      throw shapeError(api.origin, subject.what, 'a group is of another type')
    // The path of the next page is also for a later run to resume from; undefined on the last page.
    yield { groups: found, fingerprint: page.fingerprint, nextPath: path }
  }
}

/** How many events name a group, and the times of the first and the last of them. */
export interface GroupEvents {
  readonly count: number
  readonly first: string | null
  readonly last: string | null
}

const countRow = z.tuple([countCell, timeCell.nullable(), timeCell.nullable()])

/** Counts the events whose `properties.$groups` names the group, each uuid once. */
export async function groupEvents(groups: Groups, type: GroupType, key: string): Promise<GroupEvents> {
  const what = `the events of the ${type.name} ${JSON.stringify(key)}`
  const query =
    `SELECT count(DISTINCT uuid), ${sqlUtc('min(timestamp)')}, ${sqlUtc('max(timestamp)')} FROM events ` +
    `WHERE JSONExtractString(properties.$groups, ${sqlText(type.name)}) = ${sqlText(key)}`
  const asked = { query, what, row: countRow }
  const [count, first, last] = await askRow(groups, asked)
  // If there are no events, min and max are null or the epoch.
  return count === 0 ? { count: 0, first: null, last: null } : { count, first, last }
}
