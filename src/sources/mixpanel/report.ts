import { z } from 'zod'
import { askReport } from '../answer-bytes.ts'
import { daysFrom, runsOf } from '../counts/day-zone.ts'
import type { CountedBy, DayCount, Question, Report, VendorCall } from '../source.ts'
import { type VendorClient, VendorError } from '../vendor-client.ts'
import type { ExportFilter } from './events.ts'

/**
 * Mixpanel's reports show records in which these four are equal as one event; its raw export has all copies. An event
 * without an `$insert_id` is never taken for a copy (docs.mixpanel.com/reference/event-deduplication and
 * /troubleshooting/errors/duplicate-events).
 */
export const MIXPANEL_COUNTED: CountedBy = {
  event: 'event',
  times: [['properties', 'time']],
  identity: [
    ['properties', 'time'],
    ['properties', 'distinct_id'],
    ['properties', '$insert_id'],
  ],
  uncounted: [],
}

const EVENTS_PATH = '/api/query/events'
/** The longest path with its query: names are sent in it, and servers refuse longer ones. */
const MOST_PATH = 6000

const namesSchema = z.array(z.string())
const countsSchema = z.object({
  data: z.object({ values: z.record(z.string(), z.record(z.string(), z.int().min(0))) }),
})

/** Days of one request. */
const MOST_DAYS = 365
/** Most requests of one report: under the 60 an hour that the query API allows, with profiles of the same hour. */
const MOST_REQUESTS = 50
const MOST_NAMES = 1000

/**
 * The counts of Mixpanel's query API, by `GET /api/query/events` (docs.mixpanel.com/reference/list-recent-events): for
 * a JSON list of names, `type=general` and `unit=day` it answers `{data: {series, values: {<name>: {<day>: count}}}}`.
 *
 * - Its days are of the project's time zone, as all reports are. A project made before 2023 stores that zone's wall
 *   clock, so the times of its records are of those days; a newer one stores UTC.
 * - `GET /api/query/events/names` lists the most frequent names of late, so that a name of which nothing at all was
 *   exported is asked for too. It knows no name that has not come for a month.
 * - The quota is the query API's: 60 an hour and 5 at once (docs.mixpanel.com/reference/rate-limits). They are sent one
 *   by one, through the limiter that profiles use.
 */
export function mixpanelReport(client: VendorClient, filter: ExportFilter): Report {
  return {
    vendor: client.vendor,
    zone: undefined,
    settleMs: 0,
    ask: (question, call) => ask(client, filter, question, call),
  }
}

async function* ask(
  client: VendorClient,
  filter: ExportFilter,
  { first, last, events }: Question,
  call: VendorCall,
): AsyncGenerator<DayCount> {
  const listed = filter.events.length > 0 ? filter.events : await knownNames(client, filter, call)
  const names = [...new Set([...events, ...listed])]
  for (const path of pathsOf(names, first, last, filter).slice(0, MOST_REQUESTS)) {
    const { data } = await askReport(client, path, countsSchema, call)
    for (const [event, byDay] of Object.entries(data.values)) {
      for (const [time, count] of Object.entries(byDay)) {
        const day = time.slice(0, 10)
        // Counts of other days would compare with nothing, and look as if nothing were missing.
        if (!(day >= first && day <= last)) throw otherDays(first, last)
        yield { day, event, count }
      }
    }
  }
}

function otherDays(first: string, last: string): VendorError {
  const message = `Mixpanel's report has other days than it was asked for: ${first} to ${last}`
  return new VendorError(message, { code: 'unavailable' })
}

async function knownNames(client: VendorClient, filter: ExportFilter, call: VendorCall): Promise<string[]> {
  const query = { type: 'general', limit: String(MOST_NAMES) }
  return await askReport(
    client,
    mixpanelPath(`${EVENTS_PATH}/names`, filter.projectId, query),
    namesSchema,
    call,
  )
}

/** The requests that ask for all names on all days, the most frequent names first. */
function pathsOf(
  names: readonly string[],
  first: string,
  last: string,
  { projectId }: ExportFilter,
): string[] {
  const pathOf = (event: readonly string[], from_date: string, to_date: string) => {
    const more = { event: JSON.stringify(event), type: 'general', unit: 'day', from_date, to_date }
    return mixpanelPath(EVENTS_PATH, projectId, more)
  }
  return namesByPath(names, (group) => pathOf(group, first, last)).flatMap((group) => {
    return runsOf(daysFrom(first, last), MOST_DAYS).map((days) => pathOf(group, days[0]!, days.at(-1)!))
  })
}

/** The path of a question, with the project if it is known: a project's own secret implies it. */
function mixpanelPath(
  path: string,
  projectId: string | undefined,
  query: Readonly<Record<string, string>>,
): string {
  return `${path}?${new URLSearchParams({ ...(projectId !== undefined && { project_id: projectId }), ...query })}`
}

/** Names in groups whose paths are not too long. A name that makes a path too long is a group of its own. */
function namesByPath(names: readonly string[], pathOf: (group: readonly string[]) => string): string[][] {
  const groups: string[][] = []
  for (const name of names) {
    const group = groups.at(-1)
    if (group && pathOf([...group, name]).length <= MOST_PATH) group.push(name)
    else groups.push([name])
  }
  return groups
}
