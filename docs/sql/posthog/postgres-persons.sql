-- Persons of a self-hosted PostHog, in Postgres, as they are now: those made before the end of the window. One window: --from is the day before --to. Name your team.
SELECT row_to_json(r) AS line FROM (
  SELECT p.team_id, p.uuid AS person_id, d.main_id AS distinct_id, p.created_at, p.properties AS person_properties
  FROM posthog_person p LEFT JOIN (SELECT person_id, distinct_id, first_value(distinct_id) OVER
      (PARTITION BY person_id ORDER BY distinct_id ~ '^([a-z0-9]+-){4}([a-z0-9]+)$', distinct_id COLLATE "C") AS main_id
    FROM posthog_persondistinctid) d ON d.person_id = p.id AND d.distinct_id = d.main_id
  WHERE p.created_at < '{to}'::timestamptz
    AND p.team_id = 1
) r
