import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts'
import { runHosted } from './command-host.ts'
import { type Client, exportQuery } from './database-clients.ts'
import { sandboxEnv } from './sandbox-env.ts'

/* The tables of a self-hosted PostHog, as posthog/models/{person,group,event}/sql.py and its migrations make them, with a short history. */

const ANNE = '0190aaaa-0000-7000-8000-000000000001'
const BOB = '0190aaaa-0000-7000-8000-000000000002'
const GONE = '0190aaaa-0000-7000-8000-000000000003'
const VISITOR = '0190aaaa-0000-7000-8000-000000000004'
const TAKEN_IN = '0190aaaa-0000-7000-8000-000000000005'
const LATER = '0190aaaa-0000-7000-8000-000000000006'
const OF_TEAM_2 = '0190aaaa-0000-7000-8000-000000000007'

/** Ids of visitors; the first is before every user's id in the alphabet. */
const [PHONE, LAPTOP, UNKNOWN] = [1, 2, 3].map((n) => `018f0000-1111-7222-8333-44444444444${n}`)

const ANNE_NOW =
  '{"email": "anne@example.com", "plan": "pro", "visits": 12345678901234567890, "ratio": 1.50, "who": "Änne \\"A\\""}'

/** What ClickHouse holds of `events`: team, minutes after 2024-03-01 08:00, event, distinct id, properties. */
const EVENTS: ReadonlyArray<
  readonly [team: number, minute: number, event: string, id: string, properties: object]
> = [
  [1, 0, '$pageview', PHONE!, { path: '/' }],
  [1, 5, '$identify', 'anne@example.com', { $anon_distinct_id: PHONE, $set: { plan: 'free' } }],
  [
    1,
    90,
    'bought',
    'anne@example.com',
    { amount: 12.5, $groups: { company: 'acme' }, $set: { plan: 'pro' } },
  ],
  [1, 2000, '$pageview', LAPTOP!, { path: '/docs' }],
  [1, 2001, '$pageview', UNKNOWN!, { path: '/pricing' }],
  [1, 2900, '$pageview', 'bob', { path: '/' }],
  [2, 10, '$pageview', 'bob', { path: '/other-team' }],
]

const minute = (after: number) =>
  new Date(Date.UTC(2024, 2, 1, 8, after)).toISOString().replace(/[TZ]/g, ' ').trim()
const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const events = EVENTS.map(([team, after, event, id, properties], n) => {
  const uuid = `0190eeee-0000-7000-8000-${String(n).padStart(12, '0')}`
  return `(${quoted(uuid)}, ${quoted(event)}, ${quoted(JSON.stringify(properties))}, '${minute(after)}', ${team}, ${quoted(id)}, '', '{}')`
})

/** ClickHouse's tables. Rows of every version are there: nothing was merged. */
export const CLICKHOUSE_TABLES: readonly string[] = [
  `CREATE TABLE events (uuid UUID, event String, properties String, timestamp DateTime64(6, 'UTC'), team_id Int64, distinct_id String,
    elements_chain String, person_properties String) ENGINE = ReplacingMergeTree
    PARTITION BY toYYYYMM(timestamp) ORDER BY (team_id, toDate(timestamp), event, cityHash64(distinct_id), cityHash64(uuid))`,
  `CREATE TABLE person (id UUID, created_at DateTime64(3), team_id Int64, properties String, is_identified Int8, is_deleted Int8,
    version UInt64, _timestamp DateTime, _offset UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY (team_id, id)`,
  `CREATE TABLE person_distinct_id2 (team_id Int64, distinct_id String, person_id UUID, is_deleted Int8, version Int64,
    _timestamp DateTime, _offset UInt64, _partition UInt64) ENGINE = ReplacingMergeTree(version) ORDER BY (team_id, distinct_id)`,
  `CREATE TABLE groups (group_type_index UInt8, group_key String, created_at DateTime64(3), team_id Int64, group_properties String,
    _timestamp DateTime, _offset UInt64) ENGINE = ReplacingMergeTree(_timestamp) ORDER BY (team_id, group_type_index, group_key)`,
  'SYSTEM STOP MERGES',
  `INSERT INTO events VALUES ${events.join(', ')}`,
  ...[
    [ANNE, 0, 1, '{"plan":"free"}', 0, 0],
    [ANNE, 0, 1, ANNE_NOW, 0, 7],
    [BOB, -500_000, 1, '{}', 0, 0],
    [GONE, 1, 1, '{"plan":"gone"}', 0, 0],
    [GONE, 1, 1, '{}', 1, 100],
    [VISITOR, 2001, 1, '{"seen":true}', 0, 0],
    [TAKEN_IN, 2000, 1, '{"plan":"taken in"}', 0, 0],
    [TAKEN_IN, 2000, 1, '{}', 1, 100],
    [LATER, 20_000, 1, '{}', 0, 0],
    [OF_TEAM_2, 10, 2, '{"team":2}', 0, 0],
  ].map(
    ([id, after, team, properties, deleted, version]) =>
      `INSERT INTO person SELECT '${id}', toDateTime64('${minute(Number(after))}', 3, 'UTC'), ${team}, ${quoted(String(properties))}, 1, ${deleted}, ${version}, now(), 0`,
  ),
  ...[
    [1, 'anne@example.com', ANNE, 0, 0],
    [1, PHONE, ANNE, 0, 1],
    [1, LAPTOP, TAKEN_IN, 0, 0],
    [1, LAPTOP, ANNE, 0, 1],
    [1, 'bob', BOB, 0, 0],
    [1, 'gone', GONE, 0, 0],
    [1, 'gone', GONE, 1, 100],
    [1, UNKNOWN, VISITOR, 0, 0],
    // Was split off from Bob, who is as alive as before.
    [1, 'a sister', BOB, 0, 0],
    [1, 'a sister', VISITOR, 0, 1],
    [1, 'later', LATER, 0, 0],
    [2, 'bob', OF_TEAM_2, 0, 0],
  ].map(
    ([team, id, person, deleted, version]) =>
      `INSERT INTO person_distinct_id2 VALUES (${team}, '${id}', '${person}', ${deleted}, ${version}, now(), 0, 0)`,
  ),
  ...[
    [0, 'acme', 1, '{"seats":1,"until lately":true}', 0],
    [0, 'acme', 1, '{"name":"Acme","seats":12345678901234567890}', 5],
    [0, 'globex', 1, '{}', 0],
    [1, 'p1', 1, '{"open":true}', 0],
    [0, 'acme', 2, '{"team":2}', 0],
  ].map(
    ([index, key, team, properties, second]) =>
      `INSERT INTO groups SELECT ${index}, '${key}', toDateTime64('2024-03-01 07:00:00.250', 3, 'UTC'), ${team}, '${properties}', toDateTime(1709300000 + ${second}), 0`,
  ),
]

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

/** The tables of Postgres, in the schema `ph`. What was deleted or taken in is gone there. */
export const POSTGRES_TABLES = `CREATE SCHEMA ph;
  CREATE TABLE ph.posthog_person (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL, properties jsonb NOT NULL, team_id int NOT NULL,
    is_identified bool NOT NULL, uuid uuid NOT NULL, version bigint);
  CREATE TABLE ph.posthog_persondistinctid (id bigserial PRIMARY KEY, distinct_id varchar(400) NOT NULL, person_id bigint NOT NULL
    REFERENCES ph.posthog_person, team_id int NOT NULL, version bigint, UNIQUE (team_id, distinct_id));
  CREATE TABLE ph.posthog_group (id bigserial PRIMARY KEY, group_key varchar(400) NOT NULL, group_type_index int NOT NULL,
    group_properties jsonb NOT NULL, created_at timestamptz NOT NULL, version bigint NOT NULL, team_id int NOT NULL,
    UNIQUE (team_id, group_key, group_type_index));
  CREATE TABLE ph.posthog_grouptypemapping (id serial PRIMARY KEY, group_type varchar(400) NOT NULL, group_type_index int NOT NULL,
    team_id int NOT NULL, project_id bigint);
  INSERT INTO ph.posthog_person (id, created_at, properties, team_id, is_identified, uuid, version) VALUES
    (1, '${minute(0)}+00', ${text(ANNE_NOW)}, 1, true, '${ANNE}', 7), (2, '${minute(-500_000)}+00', '{}', 1, true, '${BOB}', 0),
    (4, '${minute(2001)}+00', '{"seen": true}', 1, false, '${VISITOR}', 0), (6, '${minute(20_000)}+00', '{}', 1, false, '${LATER}', 0),
    (7, '${minute(10)}+00', '{"team": 2}', 2, false, '${OF_TEAM_2}', 0);
  INSERT INTO ph.posthog_persondistinctid (distinct_id, person_id, team_id) VALUES ('${PHONE}', 1, 1), ('anne@example.com', 1, 1),
    ('${LAPTOP}', 1, 1), ('bob', 2, 1), ('${UNKNOWN}', 4, 1), ('a sister', 4, 1), ('later', 6, 1), ('bob', 7, 2);
  INSERT INTO ph.posthog_group (group_key, group_type_index, group_properties, created_at, version, team_id) VALUES
    ('acme', 0, '{"name": "Acme", "seats": 12345678901234567890}', '2024-03-01 07:00:00.25+00', 5, 1),
    ('globex', 0, '{}', '2024-03-01 07:00:00.25+00', 0, 1), ('p1', 1, '{"open": true}', '2024-03-01 07:00:00.25+00', 0, 1),
    ('acme', 0, '{"team": 2}', '2024-03-01 07:00:00.25+00', 0, 2);
  INSERT INTO ph.posthog_grouptypemapping (group_type, group_type_index, team_id, project_id) VALUES ('company', 0, 1, 1),
    ('project', 1, 1, 1), ('firm', 0, 2, 2)`

/** A person: when it was made, its properties and ids. A group: its type's name and its key, and its properties. */
interface Held {
  readonly persons: ReadonlyArray<readonly [created: string, properties: unknown, ids: readonly string[]]>
  readonly groups: ReadonlyArray<readonly [type: string, key: string, created: string, properties: unknown]>
}

/** What ClickHouse and Postgres themselves say that team 1 had at the end of the days, by other ways than FINAL: a line of JSON a row. */
export const CLICKHOUSE_HELD: Readonly<Record<keyof Held, string>> = {
  persons: `SELECT tuple(at, properties, ids) AS held FROM (
      SELECT id, toString(toTimeZone(argMax(created_at, version), 'UTC')) AS at, argMax(person.properties, version) AS properties
      FROM person WHERE team_id = 1 GROUP BY id HAVING argMax(is_deleted, version) = 0) AS p
    JOIN (SELECT person, groupArray(distinct_id) AS ids FROM (
      SELECT distinct_id, argMax(person_id, version) AS person FROM person_distinct_id2 WHERE team_id = 1
      GROUP BY distinct_id HAVING argMax(is_deleted, version) = 0) GROUP BY person) AS d ON d.person = p.id
    WHERE at < '2024-03-04' FORMAT JSONEachRow`,
  groups: `SELECT tuple(if(group_type_index = 0, 'company', 'project'), group_key,
      toString(toTimeZone(argMax(created_at, _timestamp), 'UTC')), argMax(group_properties, _timestamp)) AS held
    FROM groups WHERE team_id = 1 GROUP BY group_type_index, group_key FORMAT JSONEachRow`,
}

export const POSTGRES_HELD: Readonly<Record<keyof Held, string>> = {
  persons: `SELECT json_build_object('held', json_build_array(p.created_at AT TIME ZONE 'UTC', p.properties::text, array_agg(d.distinct_id)))
    FROM ph.posthog_person p JOIN ph.posthog_persondistinctid d ON d.person_id = p.id
    WHERE p.team_id = 1 AND p.created_at < '2024-03-04+00' GROUP BY p.id`,
  groups: `SELECT json_build_object('held', json_build_array(m.group_type, g.group_key, g.created_at AT TIME ZONE 'UTC', g.group_properties::text))
    FROM ph.posthog_group g JOIN ph.posthog_grouptypemapping m USING (team_id, group_type_index) WHERE team_id = 1`,
}

/** What such lines say. */
export async function heldBy(
  questions: typeof CLICKHOUSE_HELD,
  ask: (sql: string) => Promise<string>,
): Promise<Held> {
  const rows = async (sql: string) =>
    (await ask(sql))
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { held: string[] }).held)
  return sorted({
    persons: (await rows(questions.persons)).map(([at, properties, ids]) => [
      instant(at!),
      JSON.parse(properties!),
      [ids!].flat(),
    ]),
    groups: (await rows(questions.groups)).map(([type, key, at, properties]) => [
      type!,
      key!,
      instant(at!),
      JSON.parse(properties!),
    ]),
  })
}

function sorted({ persons, groups }: Held): Held {
  const byText = (one: unknown, other: unknown) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
  return {
    persons: persons.map(([at, has, ids]) => [at, has, [...ids].sort()] as const).sort(byText),
    groups: [...groups].sort(byText),
  }
}

async function heldByProject(project: Sandbox): Promise<Held> {
  const rows = async (sql: string) => (await project.query(sql)).results as string[][]
  const ids = await rows('SELECT distinct_id, toString(person_id) FROM person_distinct_ids')
  const created = new Map(
    (await rows("SELECT distinct_id, toString(timestamp) FROM events WHERE event = '$set'")).map(
      ([id, at]) => [id, at],
    ),
  )
  const persons = (await rows('SELECT toString(id), properties FROM persons')).flatMap(
    ([person, properties]) => {
      const own = ids.filter(([, of]) => of === person).map(([id]) => id!)
      const at = own.map((id) => created.get(id)).find((one) => one !== undefined)
      return at === undefined ? [] : [[instant(at), JSON.parse(properties!), own] as const]
    },
  )
  const types = new Map(
    (await groupTypes(project)).map(({ group_type_index: index, group_type: type }) => [index, type]),
  )
  const groups = (await rows('SELECT index, key, toString(created_at), properties FROM groups')).map(
    ([index, key, at, properties]) =>
      [types.get(Number(index))!, key!, instant(at!), JSON.parse(properties!)] as const,
  )
  return sorted({ persons, groups })
}

/** A time of UTC, however it is written. */
function instant(text: string): string {
  const [, day, time] = /^(\S{10})[ T](\d\d:\d\d:\d\d(?:\.\d+)?)/.exec(text) ?? []
  return new Date(`${day}T${time}Z`).toISOString()
}

async function groupTypes({ url, personalKey, projectId }: Sandbox) {
  const headers = { authorization: `Bearer ${personalKey}` }
  const answer = await fetch(`${url}/api/projects/${projectId}/groups_types/`, { headers })
  return (await answer.json()) as Array<{ group_type: string; group_type_index: number }>
}

interface Move {
  /** `clickhouse` or `postgres`, as the queries of docs/sql are called. */
  readonly store: 'clickhouse' | 'postgres'
  readonly client: Client
  /** For new files. */
  readonly folder: string
  readonly mapping?: string
}

/** Moves team 1 into a sandbox, and says what that holds then. */
export async function moved({ store, client, folder, mapping = 'preset: posthog\n' }: Move) {
  const [dataset, map] = ['events', 'mapping.yaml'].map((name) => join(folder, name))
  writeFileSync(map!, mapping)
  const raws: string[] = []
  for (const name of store === 'clickhouse' ? ['events', ...NOW] : NOW) {
    const file = fileURLToPath(new URL(`../../docs/sql/posthog/${store}-${name}.sql`, import.meta.url))
    const out = join(folder, 'raw', name)
    raws.push(out)
    const from = name === 'events' ? '2024-03-01' : '2024-03-03'
    await exportQuery({ client, file, days: [from, '2024-03-04'], out })
  }
  const project = await startSandbox()
  try {
    const fast = ['--approved', '--max-events-per-minute', '10000000']
    for (const argv of [
      ['transform', '--map', map!, '--in', ...raws, '--out', dataset!],
      ['import', '--dataset', dataset!, ...fast],
      ['verify', dataset!],
    ]) {
      const { code, stdout, stderr } = await runHosted(argv, sandboxEnv(project))
      expect(code, `${argv.join(' ')}\n${stdout}${stderr}`).toBe(0)
    }
    const { results } = await project.query(
      "SELECT toString(timestamp), event, distinct_id, properties FROM events WHERE event NOT IN ('$set', '$create_alias', '$groupidentify') ORDER BY timestamp",
    )
    return { held: await heldByProject(project), events: results as string[][] }
  } finally {
    await project.close()
  }
}

const NOW = ['persons', 'person-ids', 'groups']
