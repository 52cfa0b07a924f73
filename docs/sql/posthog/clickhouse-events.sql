-- Events of a self-hosted PostHog, in ClickHouse. Name your team.
SELECT uuid, event, properties, timestamp, distinct_id, elements_chain, person_properties, team_id
FROM events WHERE timestamp >= parseDateTime64BestEffort('{from}', 6, 'UTC') AND timestamp < parseDateTime64BestEffort('{to}', 6, 'UTC')
  AND team_id = 1
