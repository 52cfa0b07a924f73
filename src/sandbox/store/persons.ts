import type { DuckDBConnection } from '@duckdb/node-api'
import type { WarningType } from '../warnings/types.ts'
import { COPIED_FIELDS, COPIED_LIST } from './copies.ts'
import { LOG_TABLE, personId } from './schema.ts'

// Ids that name no person; the service never merges them. The first list holds in any case, the second as written.
const PLACEHOLDERS = new Set(
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' '),
)
const EXACT_PLACEHOLDERS = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0'])

/** One identity event: it joins `other` to the person of `distinctId`. */
export interface Join {
  readonly event: string
  readonly distinctId: string
  readonly other: string
}

/** Who is who: distinct ids joined to persons by identity events, in the order of arrival. */
export class PersonIndex {
  readonly #parents = new Map<string, string>()
  readonly #identified = new Set<string>()

  /** Joins, or says as a warning's type why it does not. */
  apply({ event, distinctId, other }: Join): WarningType | undefined {
    if (distinctId === other) return undefined
    if (isPlaceholder(distinctId) || isPlaceholder(other)) return 'cannot_merge_with_illegal_distinct_id'
    const into = this.rootOf(distinctId)
    const from = this.rootOf(other)
    // An identified id belongs to another person already. Only $merge_dangerously may take it.
    if (into !== from && this.#identified.has(from) && event !== '$merge_dangerously') {
      return 'cannot_merge_already_identified'
    }
    this.#parents.set(into, into)
    this.#parents.set(from, into)
    this.#identified.delete(from)
    this.#identified.add(into)
    return undefined
  }

  rootOf(id: string): string {
    let root = id
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      root = parent
      parent = this.#parents.get(root)
    }
    // Point every id on the way to the root, so that the next search is short.
    for (let at = id; at !== root; ) {
      const next = this.#parents.get(at)!
      this.#parents.set(at, root)
      at = next
    }
    return root
  }

  /** Every id that an identity event touched: [id, its person's first id, identified]. */
  *joined(): Generator<readonly [id: string, root: string, identified: boolean]> {
    for (const id of this.#parents.keys()) {
      const root = this.rootOf(id)
      yield [id, root, this.#identified.has(root)]
    }
  }
}

function isPlaceholder(id: string): boolean {
  const bare = id.replace(/^(["'])(.*)\1$/, '$2')
  return bare.trim() === '' || PLACEHOLDERS.has(bare.toLowerCase()) || EXACT_PLACEHOLDERS.has(bare)
}

const DISTINCT_IDS = `
  CREATE OR REPLACE TEMP TABLE person_distinct_ids AS
  SELECT distinct_id, ${personId('root')} AS person_id, identified FROM (
    SELECT ids.distinct_id, coalesce(j.root, ids.distinct_id) AS root, coalesce(j.identified, false) AS identified
    FROM (
      SELECT DISTINCT distinct_id FROM ${LOG_TABLE} WHERE profile UNION SELECT distinct_id FROM sandbox_joined
    ) ids LEFT JOIN sandbox_joined j USING (distinct_id)
  )`

/** When each property of a person was last unset. */
const UNSET = `
  CREATE OR REPLACE TEMP TABLE sandbox_unset AS
  SELECT person_id, name, max(seq) AS seq FROM (
    SELECT d.person_id, seq, unnest(from_json(unset_fields, '["VARCHAR"]')) AS name
    FROM ${LOG_TABLE} JOIN person_distinct_ids d USING (distinct_id) WHERE unset_fields IS NOT NULL
  ) GROUP BY person_id, name`

const EMPTY_PERSONS = `
  CREATE OR REPLACE TEMP TABLE persons (
    id UUID, created_at TIMESTAMPTZ, properties JSON, is_identified BOOLEAN, distinct_ids VARCHAR[]
  )`

// Of two values of one person's property the last $set wins, and any $set over every $set_once, whose first wins. What
// was before an $unset does not count. (The service also lets the surviving side of a merge win over older values of the
// other; the sandbox does not do that.)
const ADD_PERSONS = `
  INSERT INTO persons
  WITH ids AS (
    SELECT * FROM person_distinct_ids WHERE hash(person_id) % $parts = $part
  ), copied AS (
    SELECT person_id, name, arg_max(value, seq) AS newest, max(seq) AS newest_seq,
      arg_min(value, seq) AS oldest, min(seq) AS oldest_seq
    FROM (
      SELECT person_id, seq, unsets, unnest(${COPIED_LIST}, recursive := true) FROM (
        SELECT person_id, seq, ${COPIED_FIELDS} AS copied, len(list_filter(u.seqs, one -> one < seq)) AS unsets
        FROM ${LOG_TABLE} JOIN ids USING (distinct_id)
        LEFT JOIN (SELECT person_id, list(seq) AS seqs FROM sandbox_unset GROUP BY person_id) u USING (person_id)
        WHERE copies
      )
    ) WHERE value IS NOT NULL GROUP BY person_id, unsets, name
  ), own AS (
    SELECT person_id, fields, seq, rank, unnest(json_keys(fields)) AS name FROM (
      SELECT distinct_id, seq, 1 AS rank, set_fields AS fields FROM ${LOG_TABLE} WHERE set_fields IS NOT NULL
      UNION ALL
      SELECT distinct_id, seq, 0, set_once_fields FROM ${LOG_TABLE} WHERE set_once_fields IS NOT NULL
    ) JOIN ids USING (distinct_id)
  ), updates AS (
    SELECT person_id, name, newest AS value, newest_seq AS seq, 1 AS rank FROM copied
    UNION ALL
    SELECT person_id, '$initial_' || ltrim(name, '$'), oldest, oldest_seq, 0 FROM copied
    UNION ALL
    SELECT person_id, name, json_extract(fields, '/' || replace(replace(name, '~', '~0'), '/', '~1')), seq, rank
    FROM own
  ), latest AS (
    SELECT person_id, name, arg_max(value, (rank, CASE rank WHEN 1 THEN u.seq ELSE -u.seq END)) AS value
    FROM updates u LEFT JOIN sandbox_unset gone USING (person_id, name)
    WHERE value IS NOT NULL AND (gone.seq IS NULL OR u.seq > gone.seq)
    GROUP BY person_id, name
  ), merged AS (
    SELECT person_id, '{' || array_to_string(
      list_sort(list(CAST(to_json(name) AS VARCHAR) || ':' || CAST(value AS VARCHAR))), ',') || '}' AS properties
    FROM latest GROUP BY person_id
  ), born AS (
    SELECT person_id, min(timestamp) AS created_at
    FROM ${LOG_TABLE} JOIN ids USING (distinct_id) GROUP BY person_id
  )
  SELECT d.person_id AS id, timezone('UTC', any_value(b.created_at)) AS created_at,
    CAST(coalesce(any_value(m.properties), '{}') AS JSON) AS properties, bool_or(d.identified) AS is_identified,
    list(d.distinct_id ORDER BY d.distinct_id) AS distinct_ids
  FROM ids d LEFT JOIN merged m USING (person_id) LEFT JOIN born b USING (person_id)
  GROUP BY d.person_id`

/** So many persons are put together at once, to bound the memory that their properties take meanwhile. */
const PERSONS_AT_ONCE = 100_000

/** Rebuilds the tables \`persons\` and \`person_distinct_ids\` of a connection from the log. */
export async function rebuildPersons(connection: DuckDBConnection): Promise<void> {
  const index = new PersonIndex()
  const joins = await connection.stream(
    `SELECT event, distinct_id, joins FROM ${LOG_TABLE} WHERE joins IS NOT NULL AND profile ORDER BY seq`,
  )
  for await (const rows of joins.yieldRows()) {
    for (const [event, distinctId, other] of rows) {
      index.apply({ event: String(event), distinctId: String(distinctId), other: String(other) })
    }
  }
  await connection.run(
    'CREATE OR REPLACE TEMP TABLE sandbox_joined (distinct_id VARCHAR, root VARCHAR, identified BOOLEAN)',
  )
  const appender = await connection.createAppender('sandbox_joined', 'main', 'temp')
  for (const [id, root, identified] of index.joined()) {
    appender.appendVarchar(id)
    appender.appendVarchar(root)
    appender.appendBoolean(identified)
    appender.endRow()
  }
  appender.closeSync()
  await connection.run(DISTINCT_IDS)
  await connection.run(UNSET)
  await connection.run(EMPTY_PERSONS)
  const count = await connection.runAndReadAll('SELECT count(*) FROM person_distinct_ids')
  const parts = Math.ceil(Number(count.getRows()[0]?.[0]) / PERSONS_AT_ONCE)
  for (let part = 0; part < parts; part++) await connection.run(ADD_PERSONS, { parts, part })
}
