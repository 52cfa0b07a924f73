import type { Hono } from 'hono'
import { z } from 'zod'
import type { NodeEnv, SandboxContext } from '../context.ts'
import { invalid } from '../routes/api-error.ts'
import { Shelf, type ShelfKind, shelfRoutes, type Thing, tagList } from './shelf.ts'

const name = z.string().trim().max(400).nullable()
const description = z.string().trim()
const deleted = z.boolean()

const INSIGHT = z.object({
  name: name.optional(),
  description: description.optional(),
  query: z.looseObject({ kind: z.string() }).nullable().optional(),
  dashboards: z.array(z.int()).optional(),
  tags: tagList.optional(),
  saved: z.boolean().optional(),
  favorited: z.boolean().optional(),
  deleted: deleted.optional(),
})

const layouts = z.record(z.string(), z.record(z.string(), z.number()))
const TILE = z.object({
  id: z.int().optional(),
  text: z.object({ body: z.string().trim().max(4000) }).optional(),
  layouts: layouts.optional(),
  color: z.string().nullable().optional(),
  deleted: deleted.optional(),
})
const DASHBOARD = z.object({
  name: name.optional(),
  description: description.optional(),
  pinned: z.boolean().optional(),
  filters: z.record(z.string(), z.unknown()).optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  tags: tagList.optional(),
  deleted: deleted.optional(),
  tiles: z.array(TILE).optional(),
})

interface Tile {
  readonly id: number
  readonly dashboard: number
  readonly insight: number | null
  readonly text: { readonly body: string } | null
  layouts: z.output<typeof layouts>
  color: string | null
  deleted: boolean
}

/** Insights, dashboards, and the tiles that join them. Queries are stored without being run. */
export function boardRoutes(app: Hono<NodeEnv>, context: SandboxContext): void {
  const [insights, dashboards] = [new Shelf(), new Shelf()]
  const tiles: Tile[] = []
  const liveTiles = () => tiles.filter((tile) => !tile.deleted && !insights.find(tile.insight)?.deleted)

  const addTile = (dashboard: number, parts: Pick<Tile, 'insight' | 'text'>): Tile => {
    const tile = { id: tiles.length + 1, dashboard, ...parts, layouts: {}, color: null, deleted: false }
    tiles.push(tile)
    return tile
  }
  const shownInsight = (thing: Thing) => ({
    ...thing,
    short_id: `sb${String(thing.id).padStart(6, '0')}`,
    dashboards: liveTiles().flatMap(({ insight, dashboard }) => (insight === thing.id ? [dashboard] : [])),
    last_modified_at: thing.created_at,
  })
  const insightKind: ShelfKind = {
    path: 'insights',
    scope: 'insight',
    fields: INSIGHT,
    otherwise: {
      name: null,
      derived_name: null,
      description: '',
      query: null,
      tags: [],
      saved: false,
      favorited: false,
    },
    assert: ({ dashboards: ids }) => {
      const unknown = (ids as number[] | undefined)?.find((id) => dashboards.find(id)?.deleted !== false)
      if (unknown !== undefined)
        throw invalid(`Invalid pk "${unknown}" - object does not exist.`, 'dashboards', 'does_not_exist')
    },
    follow: ({ id }, { dashboards: ids }) => {
      if (!ids) return
      const wanted = ids as number[]
      for (const tile of tiles)
        if (tile.insight === id && !wanted.includes(tile.dashboard)) tile.deleted = true
      const there = liveTiles().flatMap((tile) => (tile.insight === id ? [tile.dashboard] : []))
      for (const dashboard of wanted)
        if (!there.includes(dashboard)) addTile(dashboard, { insight: id, text: null })
    },
    shown: shownInsight,
  }
  const dashboardKind: ShelfKind = {
    path: 'dashboards',
    scope: 'dashboard',
    fields: DASHBOARD,
    otherwise: { name: null, description: '', pinned: false, filters: {}, variables: {}, tags: [] },
    assert: ({ tiles: given }, thing) => {
      for (const { id, text } of (given ?? []) as z.output<typeof TILE>[]) {
        const isKnown = tiles.some((tile) => tile.id === id && tile.dashboard === thing?.id)
        if (id === undefined ? !text || !thing : !isKnown) throw invalid('Invalid tile.', 'tiles')
      }
    },
    follow: (thing, { tiles: given }) => {
      for (const { id, text, ...rest } of (given ?? []) as z.output<typeof TILE>[]) {
        const tile =
          tiles.find((one) => one.id === id) ?? addTile(thing.id, { insight: null, text: text ?? null })
        Object.assign(tile, rest)
      }
    },
    shown: ({ tiles: _, ...thing }, listed) => ({
      ...thing,
      ...(!listed && {
        tiles: liveTiles()
          .filter(({ dashboard }) => dashboard === thing.id)
          .map(({ dashboard: _, insight, text, ...tile }) => ({
            ...tile,
            insight: insight === null ? null : shownInsight(insights.find(insight)!),
            text,
          })),
      }),
    }),
  }
  shelfRoutes(app, context, insightKind, insights)
  shelfRoutes(app, context, dashboardKind, dashboards)
}
