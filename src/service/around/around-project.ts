import { z } from 'zod'
import type { AroundCohort, AroundKind, AroundRow } from '../../around/index.ts'
import type { Answer } from '../../http/index.ts'
import type { Api } from '../api.ts'
import { type AskedOf, shapeError } from '../errors.ts'
import { Groups } from '../groups.ts'
import { listPages } from '../next-page.ts'
import { bodyOf } from './bodies.ts'
import { memberForm } from './member-form.ts'
import {
  annotationRow,
  cohortRow,
  dashboardRow,
  type PropertiesOf,
  propertyRow,
  reportRow,
  rowOfEvent,
  THINGS,
  type ThingOf,
} from './shapes.ts'

/** A thing of the project. */
export interface Listed<K extends AroundKind = AroundKind> {
  readonly id: string
  readonly row: AroundRow<K>
  /** No event has brought it yet, so that it can be taken away; or a static cohort, whose members are known. */
  readonly isBare: boolean
}

/** A static cohort once its file was read. */
export interface FilledCohort {
  /** Persons in it; null where the server doesn't tell. */
  readonly count: number | null
  /** Ids of the last file that no person has; null on servers that don't count them. */
  readonly unmatched: number | null
  readonly isCalculating: boolean
  readonly errors: number
}

/** A dashboard, and what its tiles show. */
interface Board {
  readonly listed: Listed<'dashboards'>
  readonly tiles: ReadonlyArray<{
    readonly id: number
    readonly insight: string | undefined
    readonly text: string | undefined
  }>
}

const PLACES: Readonly<Record<AroundKind, readonly [path: string, scope: string, what: string]>> = {
  events: ['event_definitions', 'event_definition', 'event definitions'],
  properties: ['property_definitions', 'property_definition', 'property definitions'],
  annotations: ['annotations', 'annotation', 'annotations'],
  cohorts: ['cohorts', 'cohort', 'cohorts'],
  reports: ['insights', 'insight', 'insights'],
  dashboards: ['dashboards', 'dashboard', 'dashboards'],
}

/** The things that a push writes, with the scopes that it needs for them, and a question that tries the first. */
export const AROUND_SCOPES = Object.values(PLACES).map(([path, scope, what]) => ({
  what,
  reads: `${scope}:read`,
  writes: `${scope}:write`,
  ask: async (api: Api, projectId: string): Promise<void> => {
    const subject = { what, scope: `${scope}:read`, isOptional: true }
    await api.get(`/api/projects/${projectId}/${path}/?limit=1`, subject)
  },
}))

/** Rows that the service adds to a list, and that nobody can change. */
const BUILT_IN = /^\$builtin_/
const PERSONS_A_PAGE = 1000

/** An insight without the list of its dashboards would be taken off all of them. */
const boardsOf = z.object({ id: z.int().transform(String), dashboards: z.array(z.int().positive()) })

/** The things around the events of one project, by the API. */
export class AroundProject {
  readonly api: Api
  readonly projectId: string

  constructor(api: Api, projectId: string) {
    this.api = api
    this.projectId = projectId
  }

  /** All things of a kind, in no promised order. */
  async list<K extends AroundKind>(kind: K): Promise<Listed<K>[]> {
    const lists: { readonly [Each in AroundKind]: () => Promise<Listed<Each>[]> } = {
      events: async () =>
        (await this.#all('events', '?ordering=name&limit=500')).map((thing) => ({
          id: thing.id,
          row: rowOfEvent(thing),
          isBare: !thing.last_seen_at,
        })),
      properties: () => this.#properties(),
      annotations: async () =>
        (await this.#all('annotations', '?limit=1000')).map((thing) => listed(thing, annotationRow(thing))),
      cohorts: async () =>
        (await this.#all('cohorts', '?limit=500')).map((thing) => ({
          ...listed(thing, cohortRow(thing)),
          isBare: thing.is_static === true,
        })),
      reports: async () =>
        (await this.#all('reports', '?saved=true&basic=true&limit=500')).map((thing) =>
          listed(thing, reportRow(thing, this.#link(`insights/${thing.short_id}`))),
        ),
      dashboards: () => this.#dashboards(),
    }
    return (await lists[kind]()) as unknown as Listed<K>[]
  }

  async #dashboards(): Promise<Listed<'dashboards'>[]> {
    const found: Listed<'dashboards'>[] = []
    // Only one dashboard alone has its tiles.
    for (const { id } of await this.#all('dashboards', '?limit=500'))
      found.push((await this.board(id)).listed)
    return found
  }

  /** A dashboard with its tiles. */
  async board(id: string): Promise<Board> {
    const thing = await this.#one('dashboards', id, THINGS.dashboards, 'a dashboard')
    const tiles = (thing.tiles ?? []).map(({ id, insight, text }) => ({
      id,
      insight: insight ? String(insight.id) : undefined,
      text: text?.body ?? undefined,
    }))
    return { listed: listed(thing, dashboardRow(thing, this.#link(`dashboard/${id}`))), tiles }
  }

  async #properties(): Promise<Listed<'properties'>[]> {
    const types = await new Groups(this.api, this.projectId).types()
    const places: readonly (readonly [PropertiesOf, query: string])[] = [
      [{ of: 'event' }, 'type=event'],
      [{ of: 'person' }, 'type=person'],
      ...types.map(
        ({ name, index }) => [{ of: 'group', group: name }, `type=group&group_type_index=${index}`] as const,
      ),
    ]
    const found: Listed<'properties'>[] = []
    for (const [place, query] of places)
      for (const thing of await this.#all('properties', `?${query}&limit=500`))
        if (!BUILT_IN.test(thing.id)) found.push(listed(thing, propertyRow(thing, place)))
    return found
  }

  /** Makes a thing. An error of the fate `retry` says that it may have been made all the same. */
  async make(kind: AroundKind, row: AroundRow): Promise<Listed> {
    // A static cohort is made without members, which come by files.
    const bare = kind === 'cohorts' ? { is_static: true, _create_static_person_ids: [] } : {}
    const body = { ...bodyOf(kind, row), ...bare }
    const answer = await this.api.make(this.#path(kind), body, this.#subject(kind, 'write'))
    return this.#read(kind, answer, row)
  }

  /** Changes some fields of a thing, of which a row is known, and returns it as it is then. */
  async change(kind: AroundKind, id: string, fields: Partial<AroundRow>, row: AroundRow): Promise<Listed> {
    const subject = this.#subject(kind, 'write')
    const answer = await this.api.change(this.#path(kind, `${id}/`), bodyOf(kind, fields), subject)
    return this.#meant(id, this.#read(kind, answer, row), PLACES[kind][2])
  }

  /** Takes a thing away: a definition for good, any other so that PostHog can restore it. */
  async remove(kind: AroundKind, id: string): Promise<void> {
    const subject = this.#subject(kind, 'write')
    const path = this.#path(kind, `${id}/`)
    if (kind === 'events' || kind === 'properties') return await this.api.remove(path, subject)
    await this.api.change(path, { deleted: true }, subject)
  }

  /** Adds members to a static cohort, by their distinct ids. Adding twice does no harm. */
  async fill(cohort: AroundCohort, id: string, members: readonly string[]): Promise<void> {
    const subject = this.#subject('cohorts', 'write')
    await this.api.change(this.#path('cohorts', `${id}/`), memberForm(cohort, members), subject)
  }

  async cohort(id: string): Promise<FilledCohort> {
    const thing = await this.#one('cohorts', id, THINGS.cohorts, 'a cohort')
    return {
      count: thing.count ?? null,
      unmatched: thing.last_import_unmatched_count ?? null,
      isCalculating: thing.is_calculating === true,
      errors: thing.errors_calculating ?? 0,
    }
  }

  /** One distinct id of each person of a cohort, a page at a time. Persons without one are left out. */
  async *members(id: string): AsyncGenerator<readonly string[]> {
    const path = this.#path('cohorts', `${id}/persons/?limit=${PERSONS_A_PAGE}`)
    const schema = z.object({ distinct_ids: z.array(z.string()) })
    const subject = {
      ...this.#subject('cohorts', 'read'),
      what: 'the persons of a cohort',
      scope: 'person:read',
    }
    for await (const page of listPages(this.api, path, schema, subject))
      yield page.flatMap(({ distinct_ids: [first] }) => first ?? [])
  }

  /** PATCHes the tiles of a dashboard: places, colours, and new ones of text, which are made each time that they are sent. */
  async placeTiles(id: string, tiles: readonly object[]): Promise<void> {
    const isOnce = tiles.some((tile) => !('id' in tile))
    await this.api.change(
      this.#path('dashboards', `${id}/`),
      { tiles },
      this.#subject('dashboards', 'write'),
      isOnce,
    )
  }

  /** Puts an insight on a dashboard, and leaves it on all that it is on. */
  async putOn(insight: string, dashboard: string): Promise<void> {
    const { dashboards } = await this.#one('reports', insight, boardsOf, 'an insight')
    const body = { dashboards: [...new Set([...dashboards, Number(dashboard)])] }
    await this.api.change(this.#path('reports', `${insight}/`), body, this.#subject('reports', 'write'))
  }

  /** Asks for one thing. An answer that is of another one is not believed. */
  async #one<T extends { readonly id: string }>(
    kind: AroundKind,
    id: string,
    schema: z.ZodType<T>,
    what: string,
  ): Promise<T> {
    const answer = await this.api.get(this.#path(kind, `${id}/`), this.#subject(kind, 'read'))
    return this.#meant(id, this.api.read(answer, schema, what), what)
  }

  #meant<T extends { readonly id: string }>(id: string, thing: T, what: string): T {
    if (thing.id === id) return thing
    throw shapeError(this.api.origin, what, `id: ${thing.id}, where ${id} was asked for`)
  }

  #read(kind: AroundKind, answer: Answer, row: AroundRow): Listed {
    const read = <Each extends AroundKind>(of: Each): ThingOf<Each> =>
      this.api.read(
        answer,
        THINGS[of] as unknown as z.ZodType<ThingOf<Each>>,
        `what was written of ${PLACES[of][2]}`,
      )
    const rows: { readonly [Each in AroundKind]: () => Listed<Each> } = {
      events: () => {
        const thing = read('events')
        return { id: thing.id, row: rowOfEvent(thing), isBare: !thing.last_seen_at }
      },
      properties: () => {
        const thing = read('properties')
        const { of, group } = row as AroundRow<'properties'>
        return listed(thing, propertyRow(thing, { of, ...(group !== undefined && { group }) }))
      },
      annotations: () => listedBy(read('annotations'), annotationRow),
      cohorts: () => ({ ...listedBy(read('cohorts'), cohortRow), isBare: true }),
      reports: () => {
        const thing = read('reports')
        return listed(thing, reportRow(thing, this.#link(`insights/${thing.short_id}`)))
      },
      dashboards: () =>
        listedBy(read('dashboards'), (thing) => dashboardRow(thing, this.#link(`dashboard/${thing.id}`))),
    }
    return rows[kind]()
  }

  async #all<K extends AroundKind>(kind: K, query: string): Promise<ThingOf<K>[]> {
    const found: ThingOf<K>[] = []
    const schema = THINGS[kind] as unknown as z.ZodType<ThingOf<K>>
    for await (const page of listPages(
      this.api,
      this.#path(kind, query),
      schema,
      this.#subject(kind, 'read'),
    ))
      found.push(...page)
    return found
  }

  #path(kind: AroundKind, rest = ''): string {
    return `/api/projects/${this.projectId}/${PLACES[kind][0]}/${rest}`
  }

  #link(place: string): string {
    return `${this.api.origin}/project/${this.projectId}/${place}`
  }

  #subject(kind: AroundKind, use: 'read' | 'write'): AskedOf {
    const [, scope, what] = PLACES[kind]
    return { what, scope: `${scope}:${use}` }
  }
}

function listed<K extends AroundKind>(thing: { readonly id: string }, row: AroundRow<K>): Listed<K> {
  return { id: thing.id, row, isBare: false }
}

function listedBy<K extends AroundKind, T extends { readonly id: string }>(
  thing: T,
  row: (thing: T) => AroundRow<K>,
): Listed<K> {
  return listed(thing, row(thing))
}
