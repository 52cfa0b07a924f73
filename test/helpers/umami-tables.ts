import { fixtureRows, type TableForm, tableSql, type VendorRow } from './vendor-rows.ts'

/** How an engine writes the types that Umami's migrations have. */
interface UmamiTypes {
  readonly id: string
  readonly text: string
  readonly number: string
  readonly time: string
}

const TYPES: Readonly<Record<'postgres' | 'mysql' | 'clickhouse', UmamiTypes>> = {
  postgres: { id: 'uuid', text: 'varchar(500)', number: 'numeric(19,4)', time: 'timestamptz(6)' },
  mysql: { id: 'varchar(36)', text: 'varchar(500)', number: 'decimal(19,4)', time: 'timestamp(0) NULL' },
  clickhouse: { id: 'UUID', text: 'String', number: 'Nullable(Decimal(22, 4))', time: "DateTime('UTC')" },
}

/** Columns of an event that Umami's relational tables have in `session`. */
const OF_SESSION = [
  'browser',
  'os',
  'device',
  'screen',
  'language',
  'country',
  'region',
  'city',
  'distinct_id',
]
const IDS = new Set([
  'website_id',
  'session_id',
  'visit_id',
  'event_id',
  'event_data_id',
  'website_event_id',
  'session_data_id',
])

/** Statements that make Umami's tables of its fixture: in ClickHouse an event has the columns of its session. */
export async function umamiSql(engine: 'postgres' | 'mysql' | 'clickhouse'): Promise<readonly string[]> {
  const of = (name: string) => fixtureRows(`umami/walk/export.zip/${name}.csv`)
  const [events, eventData, sessionData] = await Promise.all([
    of('website_event'),
    of('event_data'),
    of('session_data'),
  ])
  const sql = (table: string, rows: readonly VendorRow[], drops: readonly string[] = []) => {
    const names = Object.keys(rows[0]!).filter((name) => !['job_id', ...drops].includes(name))
    const types = Object.fromEntries(names.map((name) => [name, typeOf(name, TYPES[engine], engine)]))
    return tableSql(table, types, rows, form(engine))
  }
  if (engine === 'clickhouse')
    return [
      ...sql('website_event', events),
      ...sql('event_data', eventData),
      ...sql('session_data', sessionData),
    ]
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

function form(engine: string): TableForm {
  if (engine === 'clickhouse') return { quote: '`', tail: 'ENGINE = MergeTree ORDER BY created_at' }
  return { quote: engine === 'mysql' ? '`' : '"' }
}

function typeOf(name: string, types: UmamiTypes, engine: string): string {
  if (IDS.has(name)) return types.id
  if (name === 'created_at') return types.time
  if (name === 'date_value') return engine === 'clickhouse' ? `Nullable(${types.time})` : types.time
  if (name === 'number_value') return types.number
  if (name === 'event_type' || name === 'data_type') return engine === 'clickhouse' ? 'UInt32' : 'integer'
  return types.text
}

function pick(row: VendorRow, names: readonly string[]): VendorRow {
  return Object.fromEntries(names.map((name) => [name, row[name]]))
}
