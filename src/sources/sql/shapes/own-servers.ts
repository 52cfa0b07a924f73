import { columnNames, queryReading, type ShapeCall, type SqlShape, tableReading } from '../sql-shape.ts'
import { MATOMO_ACTIONS } from './matomo-query.ts'
import { plausibleEvents } from './plausible-query.ts'

/** Matomo's own database: an action a row, as its API would give it. */
export const MATOMO: SqlShape = {
  name: 'matomo',
  engines: ['mysql'],
  preset: 'matomo',
  fits: (tables) => tables.some(({ name }) => name.endsWith('log_link_visit_action')),
  async readings({ database, schema, signal }) {
    const tables = await database.tables(schema, signal)
    const found = tables.find(({ name }) => name.endsWith('log_link_visit_action'))
    const prefix = found?.name.slice(0, -'log_link_visit_action'.length) ?? 'matomo_'
    return [queryReading('visits', MATOMO_ACTIONS.replaceAll('PREFIX_', prefix))]
  },
}

/** Umami: its events with the columns of their sessions, and the tables that its preset joins. */
export const UMAMI: SqlShape = {
  name: 'umami',
  engines: ['postgres', 'mysql', 'clickhouse'],
  preset: 'umami',
  fits: (tables) => tables.some(({ name }) => name === 'website_event'),
  async readings(call) {
    const { database, schema, signal } = call
    const names = (await database.tables(schema, signal)).map(({ name }) => name)
    const side = ['event_data', 'session_data'].filter((name) => names.includes(name))
    // On ClickHouse an event has the columns of its session.
    const events = names.includes('session')
      ? queryReading('website_event', await umamiEvents(call))
      : tableReading({ schema, name: 'website_event' }, 'created_at')
    return [events, ...side.map((name) => tableReading({ schema, name }, 'created_at'))]
  },
}

async function umamiEvents(call: ShapeCall): Promise<string> {
  const { schema } = call
  const own = await columnNames(call, { schema, name: 'website_event' })
  const session = await columnNames(call, { schema, name: 'session' })
  const added = session.filter((name) => !own.includes(name))
  const place = schema === undefined ? '' : `${schema}.`
  const columns = ['e.*', ...added.map((name) => `s.${name}`)].join(', ')
  // LEFT: an event whose session was deleted is an event all the same.
  return `SELECT ${columns} FROM ${place}website_event e LEFT JOIN ${place}session s ON s.session_id = e.session_id
WHERE e.created_at >= {from} AND e.created_at < {to}`
}

/** Plausible CE: its events, the columns in forms that a mapping file can use. */
export const PLAUSIBLE: SqlShape = {
  name: 'plausible',
  engines: ['clickhouse'],
  preset: undefined,
  fits: (tables) => tables.some(({ name }) => name === 'events_v2'),
  async readings(call) {
    const { schema } = call
    const table = schema === undefined ? 'events_v2' : `${schema}.events_v2`
    const names = await columnNames(call, { schema, name: 'events_v2' })
    return [queryReading('events_v2', plausibleEvents(table, names))]
  },
}
