-- Further ids of persons, in Postgres, each with the main id that it is joined to. One window, as for persons. Name your team.
SELECT row_to_json(r) AS line FROM (
  SELECT p.team_id, p.uuid AS person_id, d.main_id AS distinct_id, d.distinct_id AS alias, p.created_at
  FROM posthog_person p JOIN (SELECT person_id, distinct_id, first_value(distinct_id) OVER
      (PARTITION BY person_id ORDER BY distinct_id ~ '^([a-z0-9]+-){4}([a-z0-9]+)$', distinct_id COLLATE "C") AS main_id
    FROM posthog_persondistinctid) d ON d.person_id = p.id AND d.distinct_id <> d.main_id
  WHERE p.created_at < '{to}'::timestamptz
    AND p.team_id = 1
) r
