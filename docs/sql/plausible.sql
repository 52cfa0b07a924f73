-- Plausible CE, in ClickHouse: the columns in forms that a mapping file can use. Name your site.
-- Rows have no id, and equal rows are real: rows that agree in what no migration of Plausible changes are numbered.
SELECT * EXCEPT (`meta.key`, `meta.value`, posthaul_session)
  REPLACE (toString(user_id) AS user_id,
    toString(session_id) AS session_id,
    toStringCutToZero(country_code) AS country_code,
    replaceRegexpOne(toString(subdivision1_code), '^[A-Z]{2}-', '') AS subdivision1_code,
    replaceRegexpOne(toString(subdivision2_code), '^[A-Z]{2}-', '') AS subdivision2_code,
    nullIf(city_geoname_id, 0) AS city_geoname_id,
    toStringCutToZero(revenue_source_currency) AS revenue_source_currency,
    toStringCutToZero(revenue_reporting_currency) AS revenue_reporting_currency,
    if(name = 'engagement' AND scroll_depth <= 100, scroll_depth, NULL) AS scroll_depth,
    if(name = 'engagement', engagement_time, NULL) AS engagement_time,
    multiIf(events.referrer = '', '$direct', position(events.referrer, '://') > 0, events.referrer, concat('https://', events.referrer)) AS referrer),
  mapFromArrays(
    arrayMap((key, nth) -> concat(if(has((SELECT groupArray(name) FROM system.columns WHERE database = currentDatabase() AND table = 'events_v2'), key), 'prop_', ''), key, if(nth > 1, concat(' ', toString(nth)), '')),
      `meta.key`, arrayEnumerateUniq(`meta.key`)),
    `meta.value`) AS properties,
  if(hostname IN ('', '(none)'), NULL, concat('https://', hostname, pathname)) AS posthaul_url,
  if(events.referrer = '', '$direct', domain(events.referrer)) AS posthaul_referring_domain
FROM (
  SELECT *, lower(hex(sipHash128Reference(site_id, name, user_id, session_id, timestamp, hostname, pathname, `meta.key`, `meta.value`, posthaul_copy))) AS posthaul_id
  FROM (
    SELECT *, row_number() OVER (PARTITION BY site_id, name, user_id, session_id, timestamp, hostname, pathname, `meta.key`, `meta.value` ORDER BY sipHash128(tuple(*))) AS posthaul_copy
    FROM events_v2 WHERE site_id = 1 AND timestamp >= parseDateTimeBestEffort('{from}', 'UTC') AND timestamp < parseDateTimeBestEffort('{to}', 'UTC')
  )
) AS events
JOIN (
  SELECT session_id AS posthaul_session, min(timestamp) AS posthaul_session_start
  FROM events_v2 WHERE site_id = 1 AND timestamp >= parseDateTimeBestEffort('{from}', 'UTC') - INTERVAL 2 DAY AND timestamp < parseDateTimeBestEffort('{to}', 'UTC') GROUP BY session_id
) AS sessions ON events.session_id = sessions.posthaul_session
