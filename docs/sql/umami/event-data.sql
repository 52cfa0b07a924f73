-- What Umami's preset joins to its events, in Postgres: event_data.
SELECT row_to_json(r) AS line FROM (
  SELECT d.* FROM event_data d WHERE d.created_at >= '{from}' AND d.created_at < '{to}' ORDER BY d.created_at
) r
