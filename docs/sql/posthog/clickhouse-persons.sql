-- Persons of a self-hosted PostHog, in ClickHouse, as they are now: those made before the end of the window. One window: --from is the day before --to. Name your team.
SELECT p.team_id AS team_id, p.id AS person_id, m.main_id AS distinct_id, p.created_at AS created_at,
  p.properties AS person_properties
FROM person AS p FINAL LEFT JOIN (SELECT team_id, person_id, count() AS ids,
    argMin(distinct_id, (match(distinct_id, '^([a-z0-9]+-){4}([a-z0-9]+)$'), distinct_id)) AS main_id
  FROM person_distinct_id2 FINAL WHERE is_deleted = 0 GROUP BY team_id, person_id) AS m ON m.team_id = p.team_id AND m.person_id = p.id
WHERE p.is_deleted = 0 AND p.created_at < parseDateTime64BestEffort('{to}', 3, 'UTC')
  AND p.team_id = 1
