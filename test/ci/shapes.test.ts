import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runHosted } from '../helpers/command-host.ts'
import {
  type ClickHouseClient,
  type Client,
  clickhouseClient,
  exportQuery,
  mariadbClient,
  psqlClient,
} from '../helpers/database-clients.ts'
import { exits } from '../helpers/exits.ts'
import { makeFolder } from '../helpers/folder.ts'
import { type MariaDb, startMariaDb } from '../helpers/mariadb.ts'
import { ALL_KINDS, matomoSql, matomoVisits } from '../helpers/matomo-tables.ts'
import { PLAUSIBLE_SESSION, PLAUSIBLE_USER, plausibleSql } from '../helpers/plausible-table.ts'
import { type Postgres, startPostgres } from '../helpers/postgres.ts'
import {
  CLICKHOUSE_HELD,
  CLICKHOUSE_TABLES,
  heldBy,
  moved,
  POSTGRES_HELD,
  POSTGRES_TABLES,
} from '../helpers/posthog-tables.ts'
import { rudderTables } from '../helpers/rudder-tables.ts'
import { readSoundDataset } from '../helpers/sound-dataset.ts'
import { umamiSql } from '../helpers/umami-tables.ts'
import { fixtureRows, tableSql, typesOf } from '../helpers/vendor-rows.ts'
import { deliver } from '../helpers/walks.ts'

/* The queries of docs/sql on real servers: vendors' own tables, filled from their fixtures, become the events of the same rows as files. */

const folder = makeFolder()
const newFolder = () => mkdtempSync(join(folder, 'shape-'))

let postgres: Postgres
let mariadb: MariaDb
let clickhouse: ClickHouseClient
beforeAll(async () => {
  ;[postgres, mariadb, clickhouse] = await Promise.all([
    startPostgres(),
    startMariaDb('--sql-mode=NO_BACKSLASH_ESCAPES'),
    clickhouseClient(),
  ])
})
afterAll(() => Promise.all([postgres?.close(), mariadb?.close(), clickhouse?.close()]))

interface Event {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  readonly timestamp: string
  readonly properties: Readonly<Record<string, unknown>>
}

interface Route {
  /** First day and the day after the last. */
  readonly days: readonly [string, string]
  readonly window?: string
  /** Of the transform. */
  readonly args: readonly string[]
}

/** A query of docs/sql, by which client it is asked, and what is changed in it. */
interface Query {
  readonly name: string
  readonly client: Client
  readonly edit?: (sql: string) => string
  /** True for what one window has all of. */
  readonly isWhole?: boolean
  /** The table whose rows they are, which names the folder. */
  readonly table?: string
}

async function run(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { stderr } = await exits(0, runHosted(argv, env))
  return stderr
}

/** Exports what queries give, each into a folder, and transforms their rows. */
async function fromTables({ days, window, args }: Route, queries: readonly Query[]): Promise<Event[]> {
  const folders: string[] = []
  const lastDay = [dayBefore(days[1]), days[1]] as const
  for (const { name, client, table = 'raw', isWhole, edit = String } of queries) {
    const [file, out] = [join(newFolder(), 'query.sql'), join(newFolder(), table)]
    writeFileSync(file, edit(readFileSync(new URL(`../../docs/sql/${name}.sql`, import.meta.url), 'utf8')))
    const span = isWhole ? lastDay : days
    await exportQuery({ client, file, days: span, out, ...(window !== undefined && { window }) })
    folders.push(out)
  }
  return fromFiles(folders, args)
}

const dayBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 10)

async function fromFiles(inputs: readonly string[], args: readonly string[]): Promise<Event[]> {
  const out = join(newFolder(), 'events')
  await run(['transform', ...args, '--in', ...inputs, '--out', out])
  const lines = readSoundDataset(out).lines.map((line) => JSON.parse(line) as Event)
  return lines.sort((one, other) => (one.uuid < other.uuid ? -1 : 1))
}

async function delivered(vendor: string): Promise<string> {
  const place = newFolder()
  await deliver(vendor, place)
  return place
}

/** What identifies an event. */
function heads(events: readonly Event[]): string[] {
  return events.map(({ uuid, event, distinct_id, timestamp }) =>
    [uuid, event, distinct_id, timestamp].join(' '),
  )
}

/** Whole events, all values as text, since cells of CSV are; which import they came by may differ. */
function texts(events: readonly Event[]): object[] {
  return events.map(({ properties, ...head }) => {
    const entries = Object.entries(properties).filter(([name]) => name !== '$import_job_id')
    return { ...head, properties: Object.fromEntries(entries.map(([name, value]) => [name, asText(value)])) }
  })
}

/** Text that holds JSON, as cells of CSV do, is what it holds. */
function asText(value: unknown): unknown {
  if (typeof value === 'string' && /^[[{]/.test(value)) return asText(JSON.parse(value))
  // A database and a file write a time without a zone with a blank, JSON with a T.
  if (typeof value === 'string' && /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(value)) return value.replace('T', ' ')
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return value.map(asText)
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, asText(one)]))
}

test('heap: rows of Postgres are those of files, and a user who was moved after the window is known', async () => {
  const whole = ['event_id', 'user_id', 'session_id', 'pageview_id', 'from_user_id', 'to_user_id']
  const types = {
    ...Object.fromEntries(whole.map((name) => [name, 'bigint'])),
    ...{ time: 'timestamp', joindate: 'timestamp', last_modified: 'timestamp', total: 'double precision' },
  }
  const statements = ['CREATE SCHEMA heap']
  for (const name of HEAP_FILES) {
    const rows = await fixtureRows(`heap/walk/warehouse/${name}`)
    const table = `heap.${name.replace(/\..*/, '')}`
    statements.push(...tableSql(table, typesOf(rows, 'text', types), rows, { quote: '"' }))
  }
  await postgres.psql(`${statements.join(';')};
    CREATE TABLE heap.all_events AS SELECT event_id, time FROM heap.pageviews;
    CREATE TABLE heap.pageviews_raw AS SELECT * FROM heap.pageviews; UPDATE heap.user_migrations SET time = '2025-01-01'`)
  const args = ['--preset', 'heap', '--with', 'labels']
  const files = await fromFiles([join(await delivered('heap'), 'warehouse')], args)
  const tables = await fromTables(
    { days: DAYS, args },
    HEAP_FILES.map((file) => file.replace(/\..*/, '')).map((table) => ({
      name: /^user/.test(table) ? 'heap-whole' : 'heap',
      isWhole: /^user/.test(table),
      ...{ table, client: psqlClient(postgres, { schema: 'heap', table }) },
    })),
  )
  expect(files.length).toBeGreaterThan(5)
  expect(texts(tables)).toEqual(texts(files))
})

test('rudderstack: rows of the warehouse have the ids of the calls in object storage', async () => {
  const path = 'rudder-logs/src1/03-01-2024/1709296400.src1.0a1b.json.gz'
  const calls = await fixtureRows(`rudderstack/walk/${path}`)
  const statements = ['CREATE SCHEMA rudder']
  const types = { context_session_id: 'bigint', quantity: 'bigint', price: 'numeric', total: 'numeric' }
  for (const [table, rows] of rudderTables(calls)) {
    const times = ['received_at', 'sent_at', 'timestamp', 'original_timestamp'].map((name) => [
      name,
      'timestamptz',
    ])
    const all = typesOf(rows, 'text', { ...types, ...Object.fromEntries(times) })
    statements.push(...tableSql(`rudder.${table}`, all, rows, { quote: '"' }))
  }
  await postgres.psql(statements.join(';'))
  const files = await fromFiles(
    [join(await delivered('rudderstack'), 'rudder-logs')],
    ['--preset', 'rudderstack'],
  )
  const args = ['--preset', 'segment-warehouse', '--group-type', 'company']
  const tables = await fromTables(
    { days: ['2024-03-01', '2024-03-02'], args },
    [...rudderTables(calls).keys()].map((table) => ({
      name: 'segment',
      ...{ table, client: psqlClient(postgres, { schema: 'rudder', table }) },
    })),
  )
  expect(files).toHaveLength(16)
  expect(heads(tables)).toEqual(heads(files))
})

test('snowplow: rows of atomic.events are those of a CSV of them', async () => {
  const rows = await fixtureRows('snowplow/walk/atomic_events.csv')
  const names = Object.keys(rows[0]!)
  const types = Object.fromEntries(
    names.map((name) => [
      name,
      /_tstamp$/.test(name) ? 'timestamp' : /^(?:contexts|unstruct)_/.test(name) ? 'jsonb' : 'text',
    ]),
  )
  const numbers = {
    geo_latitude: 'double precision',
    br_viewwidth: 'integer',
    dvce_screenheight: 'integer',
    br_cookies: 'boolean',
  }
  const made = tableSql('atomic.events', { ...types, ...numbers }, rows, { quote: '"' })
  await postgres.psql(['CREATE SCHEMA atomic', ...made].join(';'))
  const args = ['--preset', 'snowplow']
  const files = await fromFiles([join(await delivered('snowplow'), 'atomic_events.csv')], args)
  const tables = await fromTables({ days: DAYS, args }, [{ name: 'snowplow', client: psqlClient(postgres) }])
  expect(files).toHaveLength(4)
  expect(texts(tables)).toEqual(texts(files))
})

test('umami: rows of Postgres are the events of a Cloud export, and those whose session was deleted stay', async () => {
  const route = { days: ['2025-03-01', '2025-03-04'], args: ['--preset', 'umami'] } as const
  const queries = ['events', 'event-data', 'session-data'].map((name) => ({
    name: `umami/${name}`,
    client: psqlClient(postgres),
    table: name === 'events' ? 'website_event' : name.replace('-', '_'),
  }))
  /** Cloud's rows of session_data have no id, and theirs is made of their content: no uuid of `$set` is compared. */
  const comparable = (events: readonly Event[]) =>
    texts(events.map((event) => (event.event === '$set' ? { ...event, uuid: '' } : event)))
      .map((event) => JSON.stringify(event, sortedMembers))
      .sort()
  const files = comparable(await fromFiles([join(await delivered('umami'), 'export.zip')], route.args))
  expect(files).toHaveLength(7)
  await postgres.psql(["SET timezone = 'UTC'", ...(await umamiSql())].join(';'))
  expect(comparable(await fromTables(route, queries))).toEqual(files)
  await postgres.psql('DELETE FROM session')
  expect(await fromTables(route, queries)).toHaveLength(7)
})

test('matomo: actions of the database have the ids of those of the API, of every kind', async () => {
  const visits = [...matomoVisits(), ALL_KINDS]
  await mariadb.run(matomoSql(visits).join(';'))
  const [file, mapping] = [join(folder, 'visits.json'), join(folder, 'matomo.yaml')]
  writeFileSync(file, JSON.stringify(visits))
  writeFileSync(mapping, 'preset: matomo\nbase_url: https://stats.example.com\n')
  const files = await fromFiles([file], ['--map', mapping])
  const route = { days: ['2024-03-01', '2024-03-02'], args: ['--map', mapping] } as const
  const edit = (sql: string) => sql.replaceAll('matomo_', 'piwik_')
  const queries = [{ name: 'matomo', client: mariadbClient(mariadb), edit }]
  const tables = await fromTables(route, queries)
  expect(heads(tables)).toEqual(heads(files))
  expect(tables).toHaveLength(
    Number(await mariadb.run('SELECT count(*) + 1 FROM piwik_log_link_visit_action')),
  )
  // The page that a link was on is told by another action, which a row does not have.
  const isPage = ({ event }: Event) => !/click|download/.test(event)
  expect(shared(tables.filter(isPage), MATOMO_MEMBERS)).toEqual(shared(files.filter(isPage), MATOMO_MEMBERS))
  await mariadb.run('DELETE FROM piwik_log_visit WHERE idvisit = 900')
  expect(
    (await fromTables(route, queries)).filter(({ distinct_id }) => distinct_id === '000000000000abc0'),
  ).toHaveLength(4)
})

describe('plausible', () => {
  const mapping = join(folder, 'plausible.yaml')
  const route = { days: ['2024-03-01', '2024-03-03'], args: ['--map', mapping] } as const
  const edit = (sql: string) => sql.replaceAll('site_id = 1 AND ', '')
  const queries = () => [{ name: 'plausible', client: clickhouse, edit }]
  let events: Event[]
  beforeAll(async () => {
    const page = readFileSync(new URL('../../docs/vendors/plausible.md', import.meta.url), 'utf8')
    writeFileSync(mapping, /```yaml\n(.*?)```/s.exec(page)![1]!)
    await clickhouse.ask(plausibleSql().join('\n;\n'))
    events = await fromTables(route, queries())
  })

  test('a visit is what its rows say, by the mapping file of the page', () => {
    const visit = events.filter(({ distinct_id }) => distinct_id === PLAUSIBLE_USER)
    const inOrder = visit.sort((one, other) => (one.timestamp < other.timestamp ? -1 : 1))
    const of = (path: string, more: object) => ({
      ...{ $current_url: `https://shop.example${path}`, $host: 'shop.example', $pathname: path },
      ...{
        $referrer: 'https://google.com/search',
        $referring_domain: 'google.com',
        referrer_source: 'Google',
      },
      ...{
        $geoip_country_code: 'DE',
        $geoip_country_name: 'Germany',
        $geoip_subdivision_1_code: 'BE',
        utm_source: 'spring',
      },
      ...{ $device_type: 'Desktop', $os: 'Mac', $browser: 'Chrome', $browser_version: '125.0', site_id: 1 },
      ...{
        session_id: PLAUSIBLE_SESSION,
        distinct_id: PLAUSIBLE_USER,
        $session_id: expect.stringMatching(/^018dfc75-/),
      },
      ...{ $process_person_profile: false, analytics_source: 'plausible', ...more },
    })
    const menu = of('/café#menu', { author: 'Ada', prop_browser: 'mine', x: '1', 'x 2': '2' })
    const own = ({ properties }: Event) =>
      Object.fromEntries(
        Object.entries(properties).filter(([name]) => !/^\$(?:lib|import|geoip_disable)/.test(name)),
      )
    expect(inOrder.map((event) => [event.event, event.timestamp, own(event)])).toEqual([
      ['$pageview', '2024-03-01T23:59:50.000000Z', of('/', {})],
      ['$pageview', '2024-03-02T00:00:05.000000Z', menu],
      ['$pageview', '2024-03-02T00:00:05.000000Z', menu],
      [
        'Order',
        '2024-03-02T00:00:30.000000Z',
        of('/thanks', {
          items: '12345678901234567890',
          revenue_source_amount: 19.9,
          revenue_source_currency: 'EUR',
        }),
      ],
    ])
    expect(new Set(visit.map(({ properties }) => properties.$session_id)).size).toBe(1)
  })

  test('every row is one event, equal ones too, as many as the server counts', async () => {
    const counted = await clickhouse.ask("SELECT count() FROM events_v2 WHERE name != 'engagement'")
    expect(events).toHaveLength(Number(counted))
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(184)
    expect(new Set(events.map(({ properties }) => properties.$process_person_profile))).toEqual(
      new Set([false]),
    )
  })

  test('rows have the same ids after an upgrade, in another order, with other windows and settings', async () => {
    await clickhouse.ask(`ALTER TABLE events_v2 ADD COLUMN batch UInt64
;
CREATE TABLE again ENGINE = MergeTree ORDER BY pathname AS SELECT * FROM events_v2 ORDER BY rand()
;
DROP TABLE events_v2 SYNC
;
RENAME TABLE again TO events_v2`)
    const again = await fromTables({ ...route, window: '12h' }, queries())
    expect(heads(again)).toEqual(heads(events))
    expect(shared(again, ['$session_id'])).toEqual(shared(events, ['$session_id']))
  })
})

const DAYS = ['2024-06-01', '2024-06-03'] as const

const HEAP_FILES = [
  ...['users.csv', 'sessions.csv', 'any_click.csv', 'checkout_click_buy.csv', 'user_migrations.csv'],
  ...['pageviews.parquet', 'order_completed.ndjson'],
]

const MATOMO_MEMBERS = [
  ...`$current_url title $session_id $geoip_country_code $matomo_pageview_id pageviewPosition
    siteSearchKeyword`.split(/\s+/),
  ...`eventCategory eventAction eventName eventValue contentName contentPiece contentTarget
    contentInteraction`.split(/\s+/),
]

/** The named properties of events. */
function shared(events: readonly Event[], names: readonly string[]): object[] {
  return events.map(({ uuid, properties }) => ({
    uuid,
    ...Object.fromEntries(names.map((name) => [name, properties[name]])),
  }))
}

function sortedMembers(_: string, value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
}

describe('posthog', () => {
  test('in ClickHouse: events, persons, their ids and groups are those of the team', async () => {
    const client = clickhouse
    await client.ask(CLICKHOUSE_TABLES.join('\n;\n'))
    const mapping = 'preset: posthog\ngroup_types: { 0: company, 1: project }\n'
    const { held, events } = await moved({ store: 'clickhouse', client, folder: newFolder(), mapping })
    expect(held).toEqual(await heldBy(CLICKHOUSE_HELD, client.ask))
    expect([held.persons.length, held.groups.length]).toEqual([3, 3])
    const there = await client.ask(
      'SELECT event, distinct_id FROM events WHERE team_id = 1 ORDER BY timestamp',
    )
    expect(events.map(([, event, id]) => `${event}\t${id}`)).toEqual(there.trimEnd().split('\n'))
  })

  test('in Postgres: persons, their ids and groups with the names of their types', async () => {
    await postgres.psql(POSTGRES_TABLES)
    const client = psqlClient(postgres)
    const env = { ...client.env, PGOPTIONS: `${client.env.PGOPTIONS} -c search_path=ph` }
    const { held } = await moved({ store: 'postgres', client: { ...client, env }, folder: newFolder() })
    expect(held).toEqual(await heldBy(POSTGRES_HELD, postgres.psql))
    expect([held.persons.length, held.groups.length]).toEqual([3, 3])
  })
})
