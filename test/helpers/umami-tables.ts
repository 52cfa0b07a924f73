import { fixtureRows, tableSql, type VendorRow } from './vendor-rows.ts'

/** Columns of an event that Umami's relational tables have in `session`. */
const OF_SESSION = 'browser os device screen language country region city distinct_id'.split(' ')
const IDS = new Set(
  `website_id session_id visit_id event_id event_data_id website_event_id session_data_id`.split(/\s+/),
)

/** Statements that make Umami's tables in Postgres of its fixture. */
export async function umamiSql(): Promise<readonly string[]> {
  const of = (name: string) => fixtureRows(`umami/walk/export.zip/${name}.csv`)
  const [events, eventData, sessionData] = await Promise.all([
    of('website_event'),
    of('event_data'),
    of('session_data'),
  ])
  const sql = (table: string, rows: readonly VendorRow[], drops: readonly string[] = []) => {
    const names = Object.keys(rows[0]!).filter((name) => !['job_id', ...drops].includes(name))
    const types = Object.fromEntries(names.map((name) => [name, typeOf(name)]))
    return tableSql(table, types, rows, { quote: '"' })
  }
  // distinct_id is a column of sessions that an event has, too.
  const sessions = new Map(events.map((event) => [event.session_id, event]))
  const numbered = (name: string, rows: readonly VendorRow[]) =>
    rows.map((row, at) => ({ [name]: `00000000-0000-4000-8000-00000000000${at}`, ...row }))
  const data = numbered('event_data_id', eventData).map(({ event_id, ...row }: VendorRow) => ({
    ...row,
    website_event_id: event_id,
  }))
  return [
    ...sql('website_event', events, OF_SESSION),
    ...sql(
      'session',
      [...sessions.values()].map((event) =>
        pick(event, ['website_id', 'session_id', ...OF_SESSION, 'created_at']),
      ),
    ),
    ...sql('event_data', data, ['session_id', 'url_path', 'event_name']),
    ...sql('session_data', numbered('session_data_id', sessionData)),
  ]
}

/** As Umami's migrations have it. */
function typeOf(name: string): string {
  if (IDS.has(name)) return 'uuid'
  if (name === 'created_at' || name === 'date_value') return 'timestamptz(6)'
  if (name === 'number_value') return 'numeric(19,4)'
  return name === 'event_type' || name === 'data_type' ? 'integer' : 'varchar(500)'
}

function pick(row: VendorRow, names: readonly string[]): VendorRow {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}
