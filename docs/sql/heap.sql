-- A table of Heap in Postgres or Redshift, by its time: psql -v schema=heap -v table=pageviews. All tables that have a time, but all_events
-- and what ends with _raw.
select translate(row_to_json(r)::text, E'\r\n', '  ') as line
from (
  select t.* from :"schema".:"table" t where t.time >= '{from}' and t.time < '{to}' order by t.time
) r
