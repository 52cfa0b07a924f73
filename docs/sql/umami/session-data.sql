-- What Umami's preset joins to its events, in Postgres: session_data.
SELECT row_to_json(r) AS line FROM (
  SELECT d.* FROM session_data d WHERE d.created_at >= '{from}' AND d.created_at < '{to}' ORDER BY d.created_at
) r
