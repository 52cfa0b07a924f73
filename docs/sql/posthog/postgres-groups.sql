-- Groups, in Postgres, with the names of their types. One window, as for persons. Name your team.
SELECT row_to_json(r) AS line FROM (
  SELECT g.team_id, m.group_type, g.group_type_index, g.group_key, g.group_properties, g.created_at
  FROM posthog_group g LEFT JOIN posthog_grouptypemapping m
    ON m.team_id = g.team_id AND m.group_type_index = g.group_type_index
  WHERE g.created_at < '{to}'::timestamptz
    AND g.team_id = 1
) r
