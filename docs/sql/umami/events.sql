-- Events of Umami in Postgres, with the columns of their sessions: an event whose session was deleted is an event all the same.
SELECT row_to_json(r) AS line FROM (
  SELECT s.browser, s.os, s.device, s.screen, s.language, s.country, s.region, s.city,
    to_jsonb(s) ->> 'distinct_id' AS distinct_id, e.*
  FROM website_event e LEFT JOIN session s ON s.session_id = e.session_id
  WHERE e.created_at >= '{from}' AND e.created_at < '{to}' ORDER BY e.created_at, e.event_id
) r
