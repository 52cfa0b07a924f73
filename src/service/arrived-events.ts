import { z } from 'zod'
import { MS_PER_DAY } from '../text/index.ts'
import type { Api } from './api.ts'
import { readRows, runQuery, sqlText } from './query.ts'

const row = z.tuple([z.string()])
const WHAT = 'the events that have arrived'

/** An event that is looked for: its UTC day and name let the service find the uuid without a search of all events. */
export interface Wanted {
  readonly day: string
  readonly event: string
  readonly uuid: string
}

/** The uuids of those events that the project holds. */
export async function arrivedEvents(
  api: Api,
  projectId: string,
  wanted: readonly Wanted[],
): Promise<ReadonlySet<string>> {
  const places = new Map<string, Wanted[]>()
  for (const one of wanted) {
    const place = JSON.stringify([one.day, one.event])
    places.set(place, [...(places.get(place) ?? []), one])
  }
  const conditions = [...places.values()].map((some) => {
    const { day, event } = some[0]!
    const uuids = some.map(({ uuid }) => sqlText(uuid)).join(', ')
    return (
      `(timestamp >= ${midnight(Date.parse(day))} AND timestamp < ${midnight(Date.parse(day) + MS_PER_DAY)} ` +
      `AND event = ${sqlText(event)} AND toString(uuid) IN (${uuids}))`
    )
  })
  const query = `SELECT DISTINCT toString(uuid) FROM events WHERE ${conditions.join(' OR ')} LIMIT ${wanted.length}`
  const rows = readRows(api, await runQuery(api, projectId, query, WHAT), row, WHAT)
  return new Set(rows.map(([uuid]) => uuid))
}

function midnight(ms: number): string {
  const text = new Date(ms).toISOString().slice(0, 19).replace('T', ' ')
  return `toDateTime64(${sqlText(`${text}.000000`)}, 6, 'UTC')`
}
