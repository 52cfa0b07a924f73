-- Groups, in ClickHouse. The names of their types are in Postgres alone: group_types in a mapping file. One window, as for persons. Name your team.
SELECT team_id, group_type_index, group_key, group_properties, created_at
FROM groups FINAL WHERE created_at < parseDateTime64BestEffort('{to}', 3, 'UTC')
  AND team_id = 1
