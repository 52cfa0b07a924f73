import { PosthaulError } from '../../../errors.ts'
import type { TableInfo } from '../database.ts'
import { queryReading, type ShapeCall, type SqlShape, tableReading } from '../sql-shape.ts'

/** One of the two databases of an installation. */
interface PostHogStore {
  /** By which it is known. */
  readonly tables: readonly string[]
  /** The table whose teams are those of the database. */
  readonly teams: string
  /**
   * A SELECT for each name of parts. `at` stands before the tables; what was made at the time `to` or later is left out. All have
   * `team_id`, for `--only`.
   */
  selects(at: string, to: string): Readonly<Record<string, string>>
}

/**
 * Ids as libraries make them up for visitors, by the expression that PostHog itself tells them by. Of a person's ids another
 * one is the main one, if there is any: in the new project a user's id takes others in, and is not taken in.
 */
const MADE_UP = "'^([a-z0-9]+-){4}([a-z0-9]+)$'"

const CLICKHOUSE: PostHogStore = {
  tables: ['events', 'person', 'person_distinct_id2', 'groups'],
  teams: 'events',
  selects(at, to) {
    // FINAL leaves the newest version of each row, which may say that it is deleted.
    const main = `SELECT team_id, person_id, count() AS ids,
    argMin(distinct_id, (match(distinct_id, ${MADE_UP}), distinct_id)) AS main_id
  FROM ${at}person_distinct_id2 FINAL WHERE is_deleted = 0 GROUP BY team_id, person_id`
    const end = `parseDateTime64BestEffort('${to}', 3, 'UTC')`
    return {
      events: `SELECT uuid, event, properties, timestamp, distinct_id, elements_chain, person_properties, team_id
FROM ${at}events WHERE timestamp >= {from} AND timestamp < {to}`,
      persons: `SELECT p.team_id AS team_id, p.id AS person_id, m.main_id AS distinct_id, p.created_at AS created_at,
  p.properties AS person_properties
FROM ${at}person AS p FINAL LEFT JOIN (${main}) AS m ON m.team_id = p.team_id AND m.person_id = p.id
WHERE p.is_deleted = 0 AND p.created_at < ${end}`,
      person_distinct_ids: `SELECT d.team_id AS team_id, d.person_id AS person_id, m.main_id AS distinct_id,
  d.distinct_id AS alias, p.created_at AS created_at
FROM ${at}person_distinct_id2 AS d FINAL
JOIN (${main} HAVING ids > 1) AS m ON m.team_id = d.team_id AND m.person_id = d.person_id
JOIN (SELECT team_id, id, created_at FROM ${at}person FINAL WHERE is_deleted = 0) AS p
  ON p.team_id = d.team_id AND p.id = d.person_id
WHERE d.is_deleted = 0 AND d.distinct_id != m.main_id AND p.created_at < ${end}`,
      // The names of their types are in Postgres alone.
      groups: `SELECT team_id, group_type_index, group_key, group_properties, created_at
FROM ${at}groups FINAL WHERE created_at < ${end}`,
    }
  },
}

const POSTGRES: PostHogStore = {
  tables: ['posthog_person', 'posthog_persondistinctid', 'posthog_group', 'posthog_grouptypemapping'],
  teams: 'posthog_person',
  selects(at, to) {
    const ids = `SELECT person_id, distinct_id, first_value(distinct_id) OVER
    (PARTITION BY person_id ORDER BY distinct_id ~ ${MADE_UP}, distinct_id COLLATE "C") AS main_id
  FROM ${at}posthog_persondistinctid`
    return {
      persons: `SELECT p.team_id, p.uuid AS person_id, d.main_id AS distinct_id, p.created_at, p.properties AS person_properties
FROM ${at}posthog_person p LEFT JOIN (${ids}) d ON d.person_id = p.id AND d.distinct_id = d.main_id
WHERE p.created_at < '${to}'::timestamptz`,
      person_distinct_ids: `SELECT p.team_id, p.uuid AS person_id, d.main_id AS distinct_id, d.distinct_id AS alias, p.created_at
FROM ${at}posthog_person p JOIN (${ids}) d ON d.person_id = p.id AND d.distinct_id <> d.main_id
WHERE p.created_at < '${to}'::timestamptz`,
      groups: `SELECT g.team_id, m.group_type, g.group_type_index, g.group_key, g.group_properties, g.created_at
FROM ${at}posthog_group g LEFT JOIN ${at}posthog_grouptypemapping m
  ON m.team_id = g.team_id AND m.group_type_index = g.group_type_index
WHERE g.created_at < '${to}'::timestamptz`,
    }
  },
}

const STORES = [CLICKHOUSE, POSTGRES]

/** A self-hosted PostHog: events as they are stored, and persons, their ids and groups as they are now. */
export const POSTHOG: SqlShape = {
  name: 'posthog',
  engines: ['postgres', 'clickhouse'],
  preset: 'posthog',
  fits: (tables) => storeOf(tables) !== undefined,
  async readings(call) {
    const { database, schema, windows, signal } = call
    const store = storeOf(await database.tables(schema, signal))
    if (store === undefined) {
      throw new PosthaulError(`${schema ?? 'the database'} does not have the tables of PostHog`, {
        code: 'config',
        hint: `they are ${STORES.map(({ tables }) => tables.join(', ')).join('; or ')}. --list shows what is there`,
      })
    }
    await assertOneTeam(store, call)
    const at = schema === undefined ? '' : `"${schema.replaceAll('"', '""')}".`
    // Persons made later have nothing in the windows. On a server in use they would come while they are read and counted.
    const to = new Date(windows?.at(-1)?.end ?? Date.now()).toISOString()
    return Object.entries(store.selects(at, to)).map(([table, text]) => queryReading(table, text))
  },
}

function storeOf(found: readonly TableInfo[]): PostHogStore | undefined {
  return STORES.find(({ tables }) => tables.every((one) => found.some(({ name }) => name === one)))
}

/** An id of one team is nobody's in another: two teams in one project would make persons that never were. Code `usage`. */
async function assertOneTeam({ teams }: PostHogStore, call: ShapeCall): Promise<void> {
  const { database, schema, only, signal } = call
  if (only.some(({ column }) => column === 'team_id')) return
  const { relation } = tableReading({ schema, name: teams })
  const column = (await database.columns(relation, signal)).find(({ name }) => name === 'team_id')
  const [least, most] = (column && (await database.span(relation, column, signal))) ?? []
  if (least === most) return
  throw new PosthaulError(`${teams} has rows of several teams, from ${least} to ${most}`, {
    code: 'usage',
    hint: `name one: --only team_id=${least}. Each goes into a project of its own`,
  })
}
