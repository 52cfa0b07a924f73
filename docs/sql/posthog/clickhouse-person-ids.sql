-- Further ids of persons, in ClickHouse, each with the main id that it is joined to. One window, as for persons. Name your team.
SELECT d.team_id AS team_id, d.person_id AS person_id, m.main_id AS distinct_id,
  d.distinct_id AS alias, p.created_at AS created_at
FROM person_distinct_id2 AS d FINAL
JOIN (SELECT team_id, person_id, count() AS ids,
    argMin(distinct_id, (match(distinct_id, '^([a-z0-9]+-){4}([a-z0-9]+)$'), distinct_id)) AS main_id
  FROM person_distinct_id2 FINAL WHERE is_deleted = 0 GROUP BY team_id, person_id HAVING ids > 1) AS m ON m.team_id = d.team_id AND m.person_id = d.person_id
JOIN (SELECT team_id, id, created_at FROM person FINAL WHERE is_deleted = 0) AS p
  ON p.team_id = d.team_id AND p.id = d.person_id
WHERE d.is_deleted = 0 AND d.distinct_id != m.main_id AND p.created_at < parseDateTime64BestEffort('{to}', 3, 'UTC')
  AND d.team_id = 1
