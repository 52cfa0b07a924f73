import { z } from 'zod'
import { type AroundRow, given, restOf } from '../../around/index.ts'
import { NotTold } from '../not-told.ts'
import { appList, appThing } from './app-api.ts'
import type { MixpanelCall, QueryApi } from './query-api.ts'
import { type Bookmark, bookmarkSchema } from './saved-reports.ts'

/*
 * Dashboards, by `GET /api/app/projects/<id>/dashboards` and `…/dashboards/<id>`. No page documents them; the members are those
 * that Mixpanel's own open client reads (github.com/mixpanel/mixpanel-headless): rows of cells in an order, and what the cells
 * show by its kind and number.
 */

const words = z.string().nullish()
const headSchema = z.looseObject({
  id: z.int(),
  title: words,
  description: words,
  pinned_date: words,
})
const cellSchema = z.looseObject({
  id: z.unknown(),
  content_id: z.union([z.int(), z.string()]),
  content_type: z.string(),
})
const layoutSchema = z.looseObject({
  order: z.array(z.string()),
  rows: z.record(z.string(), z.looseObject({ cells: z.array(cellSchema) })),
})
/** What is shown, by its kind and number. */
const contentsSchema = z.record(z.string(), z.record(z.string(), z.looseObject({})).nullable())
const boardSchema = z.looseObject({
  ...headSchema.shape,
  layout: z.unknown(),
  contents: contentsSchema.nullish(),
})

type Contents = z.output<typeof contentsSchema>
type Tile = NonNullable<AroundRow<'dashboards'>['tiles']>[number]

export interface Board {
  readonly row: AroundRow<'dashboards'>
  /** The reports that it shows: some are its own, and in no list. */
  readonly reports: readonly Bookmark[]
}

/** The dashboards with their tiles. One that the account may not open has none, and a note says so. */
export async function boardsOf(api: QueryApi, application: string, call: MixpanelCall): Promise<Board[]> {
  const heads = await appList(api, { path: 'dashboards', row: headSchema }, call)
  const boards: Board[] = []
  for (const head of heads) {
    const board = await appThing(api, { path: `dashboards/${head.id}`, row: boardSchema }, call).catch(
      (error: unknown) => {
        if (!(error instanceof NotTold)) throw error
        call.note(`the tiles of Mixpanel's dashboard ${head.id} are left out: ${error.message}`)
        return head
      },
    )
    boards.push(boardOf({ layout: undefined, ...board }, application))
  }
  return boards
}

function boardOf(board: z.output<typeof boardSchema>, application: string): Board {
  const { id, title, description, pinned_date, layout, contents } = board
  const placed = layoutSchema.safeParse(layout)
  const reports = Object.values(contents?.report ?? {}).map((report) => bookmarkSchema.safeParse(report).data)
  return {
    row: {
      id: String(id),
      name: title || `dashboard ${id}`,
      link: `${application}/boards#id=${id}`,
      ...given({
        description,
        pinned: pinned_date ? true : undefined,
        tiles: tilesOf(placed.data, contents ?? {}),
        more: restOf(board, [
          'id',
          'title',
          'description',
          'contents',
          ...(placed.success ? ['layout'] : []),
        ]),
      }),
    },
    reports: reports.filter((report) => report !== undefined),
  }
}

/** The tiles in their order, and then what the dashboard has and shows nowhere. */
function tilesOf(layout: z.output<typeof layoutSchema> | undefined, contents: Contents): Tile[] {
  const cells = (layout?.order ?? []).flatMap((name, row) => {
    const { cells: inRow = [], ...height } = layout?.rows[name] ?? {}
    return inRow.map(({ id: _, content_type: type, content_id, ...width }) => {
      return { type, id: String(content_id), place: { row: row + 1, ...height, ...width } }
    })
  })
  const shown = new Set(cells.map(({ type, id }) => `${homeOf(type)} ${id}`))
  const others = Object.entries(contents).flatMap(([type, things]) =>
    Object.keys(things ?? {}).map((id) => ({ type, id, place: {} })),
  )
  return [...cells, ...others.filter(({ type, id }) => !shown.has(`${type} ${id}`))].map(
    ({ type, id, place }) => {
      const thing = contents[homeOf(type)]?.[id]
      const isReport = homeOf(type) === 'report' && (!thing || bookmarkSchema.safeParse(thing).success)
      if (isReport) return given({ report: String(thing?.id ?? id), more: restOf(place, []) })
      const { markdown, ...rest } = thing ?? {}
      const isText = type === 'text' && typeof markdown === 'string'
      const what = isText ? rest : { content_type: type, content_id: id, content: thing }
      return given({ text: isText ? markdown : undefined, more: restOf({ ...place, ...what }, []) })
    },
  )
}

/** Where a thing is that a cell shows: a `report-link` shows a report of another dashboard. */
function homeOf(type: string): string {
  return type === 'report-link' ? 'report' : type
}
