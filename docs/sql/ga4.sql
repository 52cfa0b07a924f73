-- GA4 and Firebase in BigQuery: the table of a day, with windows of a day. Google rewrites a day for up to three days: --overlap 3d.
select to_json_string(e) as line
from `my-project.analytics_123456.events_*` e
where _table_suffix = format_timestamp('%Y%m%d', timestamp '{from}')
