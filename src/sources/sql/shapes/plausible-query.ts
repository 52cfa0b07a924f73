/** Columns that no migration of Plausible changes: a row has the same id before and after an upgrade. */
const IDENTITY = 'site_id, name, user_id, session_id, timestamp, hostname, pathname, `meta.key`, `meta.value`'

/** Columns whose values would be bent or say nothing as they stand: 20 digits, zero bytes, numbers for "unknown". */
const FORMS: Readonly<Record<string, string>> = {
  user_id: 'toString(user_id)',
  session_id: 'toString(session_id)',
  country_code: 'toStringCutToZero(country_code)',
  // The country is a column of its own: DE-BE.
  subdivision1_code: "replaceRegexpOne(toString(subdivision1_code), '^[A-Z]{2}-', '')",
  subdivision2_code: "replaceRegexpOne(toString(subdivision2_code), '^[A-Z]{2}-', '')",
  city_geoname_id: 'nullIf(city_geoname_id, 0)',
  revenue_source_currency: 'toStringCutToZero(revenue_source_currency)',
  revenue_reporting_currency: 'toStringCutToZero(revenue_reporting_currency)',
  scroll_depth: "if(name = 'engagement' AND scroll_depth <= 100, scroll_depth, NULL)",
  engagement_time: "if(name = 'engagement', engagement_time, NULL)",
  // Plausible keeps the scheme of apps alone.
  referrer:
    "multiIf(events.referrer = '', '$direct', position(events.referrer, '://') > 0, events.referrer, concat('https://', events.referrer))",
}

/**
 * The rows of `events_v2` with their custom properties as an object. They have no id, and equal rows are real: rows that agree in
 * what never changes are numbered, so that whoever reads them again gets the same ids. `tuple(*)`: the hash of columns of which
 * one is NULL would be NULL, and that of every row. `columns`: of the table, which has others in each version.
 */
export function plausibleEvents(table: string, columns: readonly string[]): string {
  const forms = Object.entries(FORMS).filter(([name]) => columns.includes(name))
  const own = columns.map((name) => `'${name.replaceAll(/[\\']/g, String.raw`\$&`)}'`).join(', ')
  // A column that is given another form hides the one it is made of, by the server's version and settings: so the id is made below
  // that level, and `events.` names the column itself.
  return `SELECT * EXCEPT (\`meta.key\`, \`meta.value\`, posthaul_session)
  REPLACE (${forms.map(([name, form]) => `${form} AS ${name}`).join(',\n    ')}),
  mapFromArrays(
    arrayMap((key, nth) -> concat(if(has([${own}], key), 'prop_', ''), key, if(nth > 1, concat(' ', toString(nth)), '')),
      \`meta.key\`, arrayEnumerateUniq(\`meta.key\`)),
    \`meta.value\`) AS properties,
  if(hostname IN ('', '(none)'), NULL, concat('https://', hostname, pathname)) AS posthaul_url,
  if(events.referrer = '', '$direct', domain(events.referrer)) AS posthaul_referring_domain
FROM (
  SELECT *, lower(hex(sipHash128Reference(${IDENTITY}, posthaul_copy))) AS posthaul_id
  FROM (
    SELECT *, row_number() OVER (PARTITION BY ${IDENTITY} ORDER BY sipHash128(tuple(*))) AS posthaul_copy
    FROM ${table} WHERE timestamp >= {from} AND timestamp < {to}
  )
) AS events
JOIN (
  SELECT session_id AS posthaul_session, min(timestamp) AS posthaul_session_start
  FROM ${table} WHERE timestamp >= {from} - INTERVAL 2 DAY AND timestamp < {to} GROUP BY session_id
) AS sessions ON events.session_id = sessions.posthaul_session`
}
