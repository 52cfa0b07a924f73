import type { DuckDBConnection } from '@duckdb/node-api'
import { rebuildIdentities } from './identities.ts'
import { COPIED_FIELDS, COPIED_LIST, LOG_TABLE, REFUSED_TABLE } from './schema.ts'

/** What the events of the log change of persons counts, but where the person would be too large. */
const IS_TAKEN = `seq NOT IN (SELECT seq FROM ${REFUSED_TABLE} WHERE type = 'person_properties_size_violation')`

/** When each property of a person was last unset. */
const UNSET = `
  CREATE OR REPLACE TEMP TABLE sandbox_unset AS
  SELECT person_id, name, max(seq) AS seq FROM (
    SELECT d.person_id, seq, unnest(from_json(unset_fields, '["VARCHAR"]')) AS name
    FROM ${LOG_TABLE} JOIN person_distinct_ids d USING (distinct_id) WHERE unset_fields IS NOT NULL AND ${IS_TAKEN}
  ) GROUP BY person_id, name`

const EMPTY_PERSONS = `
  CREATE OR REPLACE TEMP TABLE persons (
    id UUID, created_at TIMESTAMPTZ, properties JSON, is_identified BOOLEAN, distinct_ids VARCHAR[]
  )`

// Of two values of one person's property the last $set wins, and any $set over every $set_once, whose first wins. What
// was before an $unset does not count. (The service also lets the surviving side of a merge win over older values of the
// other; the sandbox does not do that.)
// A person is born with the event that makes it: an id that was attached to a person made none, an older event that comes
// later changes nothing, and of two that were merged the earlier counts.
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
        WHERE copies AND ${IS_TAKEN}
      )
    ) WHERE value IS NOT NULL GROUP BY person_id, unsets, name
  ), own AS (
    SELECT person_id, fields, seq, rank, unnest(json_keys(fields)) AS name FROM (
      SELECT distinct_id, seq, 1 AS rank, set_fields AS fields FROM ${LOG_TABLE} WHERE set_fields IS NOT NULL
      UNION ALL
      SELECT distinct_id, seq, 0, set_once_fields FROM ${LOG_TABLE} WHERE set_once_fields IS NOT NULL
    ) JOIN ids USING (distinct_id) WHERE ${IS_TAKEN}
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
    SELECT person_id, min(created_at) AS created_at FROM (
      SELECT person_id, arg_min(timestamp, seq) AS created_at
      FROM ${LOG_TABLE} JOIN ids USING (distinct_id) WHERE profile AND NOT attached GROUP BY person_id, distinct_id
    ) GROUP BY person_id
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
  await rebuildIdentities(connection)
  await connection.run(UNSET)
  await connection.run(EMPTY_PERSONS)
  const count = await connection.runAndReadAll('SELECT count(*) FROM person_distinct_ids')
  const parts = Math.ceil(Number(count.getRows()[0]?.[0]) / PERSONS_AT_ONCE)
  for (let part = 0; part < parts; part++) await connection.run(ADD_PERSONS, { parts, part })
}
