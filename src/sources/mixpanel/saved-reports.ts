import { z } from 'zod'
import type { Chart, ChartCall, ChartQuery, SavedReport } from '../../charts/index.ts'
import { Unanswerable } from '../unanswerable.ts'
import { VendorError } from '../vendor-client.ts'
import { appList } from './app-api.ts'
import { bookmarkCharts } from './bookmark-charts.ts'
import { isListedFunnel, listedFunnel, listedFunnels } from './funnels.ts'
import { type MixpanelCall, namesIn, type QueryApi } from './query-api.ts'

export const bookmarkSchema = z.looseObject({
  id: z.int().positive(),
  name: z.string().nullish(),
  type: z.string(),
  params: z.unknown(),
})
export type Bookmark = z.output<typeof bookmarkSchema>

/** Kinds of reports that charts can be made of. */
const KINDS = ['insights', 'funnels', 'retention']

/**
 * The saved reports: funnels by the documented list, all others by `GET /api/app/projects/<id>/bookmarks?v=2`, which no page
 * documents. Where Mixpanel does not answer it, a note says so.
 */
export async function savedReports(api: QueryApi, call: ChartCall): Promise<SavedReport[]> {
  const funnels = await listedFunnels(api, call)
  const listed = funnels.map(({ id, name }): SavedReport => {
    return { id, name, kind: 'funnels', charts: [], why: 'its steps are read when it is asked for by its id' }
  })
  const bookmarks = await bookmarksOf(api, call).catch((error: unknown) => {
    if (!(error instanceof VendorError)) throw error
    call.note(`Mixpanel told its funnels, and not its other reports: ${error.message}`)
    return []
  })
  return [...listed, ...(await Promise.all(bookmarks.map((bookmark) => reportOf(bookmark, call))))]
}

/** One saved report: `funnel-<id>` of the list of funnels, or the number of a bookmark, which is in the report's address. */
export async function savedReport(api: QueryApi, id: string, call: ChartCall): Promise<SavedReport> {
  if (isListedFunnel(id))
    return withCharts({ id, name: `funnel ${id}`, kind: 'funnels' }, async () => [
      await listedFunnel(api, id, call),
    ])
  const bookmark = (await bookmarksOf(api, call)).find((one) => String(one.id) === id)
  if (bookmark) return reportOf(bookmark, call)
  throw new VendorError(`Mixpanel has no saved report ${id}`, { code: 'usage', hint: 'see --list-reports' })
}

/** All that is saved as a bookmark, with what Mixpanel tells of it. */
export function bookmarksOf(api: QueryApi, call: MixpanelCall): Promise<Bookmark[]> {
  return appList(api, { path: 'bookmarks', query: { v: '2' }, row: bookmarkSchema }, call)
}

function reportOf({ id, name, type, params }: Bookmark, call: ChartCall): Promise<SavedReport> {
  const report = { id: String(id), name: name || `report ${id}`, kind: type }
  return withCharts(report, async () => {
    if (!KINDS.includes(type))
      throw new Unanswerable(`${type} is a kind of report that PostHog has no answer to`)
    return bookmarkCharts(params, namesIn(call))
  })
}

/** A report with its charts, or with the reason why there are none. */
async function withCharts(
  report: Pick<SavedReport, 'id' | 'name' | 'kind'>,
  read: () => Promise<readonly ChartQuery[]>,
): Promise<SavedReport> {
  try {
    const queries = await read()
    const charts = queries.map((query, at): Chart => {
      const part = queries.length === 1 ? '' : `, metric ${at + 1}`
      return { name: `${report.name}${part} (${report.id})`, query, report: report.id }
    })
    return { ...report, charts, why: null }
  } catch (error) {
    if (error instanceof Unanswerable) return { ...report, charts: [], why: error.message }
    throw error
  }
}
