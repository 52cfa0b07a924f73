import { z } from 'zod'
import type { VerifyInput } from '../../checks/verify-input.ts'
import { PosthaulError } from '../../errors.ts'
import type { AskedProject } from '../../service/api.ts'
import { arrivedCells } from '../../service/arrived.ts'
import { ofImports, sqlWhere, UTC_DAY } from '../../service/event-filter.ts'
import { askRows, dayCell } from '../../service/query.ts'
import type { UndoResult } from './result.ts'

/** What is to be taken back: events by their ids of an import and their days. */
export type Extent = Pick<UndoResult, 'import_ids' | 'first' | 'last'>

/** The extent of a dataset or of files, and of the events that its import made itself. Code `input` where no id tells its events. */
export function extentOf(inputs: readonly VerifyInput[]): Extent {
  const days = inputs.flatMap(({ sums }) => [...sums.days.keys()]).sort()
  const [first, last] = [days[0], days.at(-1)]
  const ids = inputs.map(({ importIds }) => importIds)
  if (first === undefined || last === undefined)
    throw new PosthaulError('there are no events to take back in it', { code: 'input' })
  if (ids.every((of): of is readonly string[] => of !== null))
    return { import_ids: [...new Set(ids.flat())].sort(), first, last }
  throw new PosthaulError('these events have no $import_job_id that tells them from others', {
    code: 'input',
    hint: "give PostHog's support the days and the names that posthaul check shows",
  })
}

/** The extent of all events with an id; code `input` if the project has none. */
export async function extentOfId(project: AskedProject, importId: string): Promise<Extent> {
  const what = 'the days of the import'
  const day = (of: string) => UTC_DAY.replace('timestamp', `${of}(timestamp)`)
  const query = `SELECT ${day('min')}, ${day('max')} FROM events WHERE ${ofImports([importId], true)} HAVING count() > 0`
  const [found] = await askRows(project, { query, what, row: z.tuple([dayCell, dayCell]) })
  if (found) return { import_ids: [importId], first: found[0], last: found[1] }
  throw new PosthaulError(`project ${project.projectId} has no event whose $import_job_id is ${importId}`, {
    code: 'usage',
    hint: 'posthaul undo <dataset> reads the id from the dataset',
  })
}

function filterOf({ import_ids: importIds, first, last }: Extent) {
  return { importIds, first, last, unreadable: true }
}

/** The HogQL that selects what is to be deleted. */
export function undoQuery(extent: Extent): string {
  return `SELECT uuid FROM events WHERE ${sqlWhere(filterOf(extent))}`
}

/** Counts the events of an extent in the project, by day and name, and those that the inputs do not have. */
export async function countExtent(
  project: AskedProject,
  extent: Extent,
  inputs: readonly VerifyInput[] | undefined,
): Promise<Pick<UndoResult, 'events' | 'others' | 'cells'>> {
  const there = new Map<string, number>()
  for await (const { day, event, events } of arrivedCells(project, {
    filter: filterOf(extent),
    whole: false,
  })) {
    const key = JSON.stringify([day, event])
    there.set(key, (there.get(key) ?? 0) + events.count)
  }
  const here = inputs && (await countsOf(inputs))
  const cells = [...there].map(([key, events]) => {
    const [day, event] = JSON.parse(key) as [string, string]
    return { day, event, events, others: here ? Math.max(0, events - here(day, event)) : null }
  })
  cells.sort((a, b) => (a.day === b.day ? b.events - a.events : a.day < b.day ? -1 : 1))
  return {
    events: cells.reduce((sum, { events }) => sum + events, 0),
    others: here ? cells.reduce((sum, { others }) => sum + (others ?? 0), 0) : null,
    cells,
  }
}

/** How many events the inputs have of a day and name. Where the names of a day are not told apart, this is an upper bound. */
async function countsOf(inputs: readonly VerifyInput[]): Promise<(day: string, event: string) => number> {
  const counts = new Map<string, number>()
  for (const { readDays } of inputs)
    for await (const { cells } of readDays())
      for (const { day, event, events } of cells) {
        const key = JSON.stringify([day, event])
        counts.set(key, (counts.get(key) ?? 0) + events.count)
      }
  const of = (day: string, event: string | null) => counts.get(JSON.stringify([day, event])) ?? 0
  return (day, event) => of(day, event) + of(day, null)
}
