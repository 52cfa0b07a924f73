-- A table of Segment, RudderStack or Hightouch in Postgres, by the time of its arrival: psql -v schema=shopweb -v table=tracks
select translate(row_to_json(r)::text, E'\r\n', '  ') as line
from (
  select t.* from :"schema".:"table" t
  where t.received_at >= '{from}' and t.received_at < '{to}' order by t.received_at, t.id
) r
