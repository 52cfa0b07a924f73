-- Snowplow's atomic.events in Postgres, by the collector's time, which no row lacks.
select translate(row_to_json(e)::text, E'\r\n', '  ') as line
from atomic.events e
where e.collector_tstamp >= '{from}' and e.collector_tstamp < '{to}' order by e.collector_tstamp, e.event_id
