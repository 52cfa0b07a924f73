-- A table of Statsig's Warehouse Exports, whose owner names it, in BigQuery.
select to_json_string(e) as line
from `my-project.statsig.statsig_events` e
where e.timestamp >= timestamp '{from}' and e.timestamp < timestamp '{to}'
