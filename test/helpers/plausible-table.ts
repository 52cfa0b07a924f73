/** events_v2 of Plausible CE after its migrations of 2025, an ALIAS column among them. */
const TABLE = `CREATE TABLE events_v2 (
  timestamp DateTime CODEC(Delta(4), LZ4), name LowCardinality(String), site_id UInt64, user_id UInt64, session_id UInt64,
  hostname String, pathname String CODEC(ZSTD(3)), referrer String, referrer_source String, country_code FixedString(2),
  screen_size LowCardinality(String), operating_system LowCardinality(String), browser LowCardinality(String),
  utm_medium String, utm_source String, utm_campaign String, \`meta.key\` Array(String), \`meta.value\` Array(String),
  browser_version LowCardinality(String), operating_system_version LowCardinality(String),
  subdivision1_code LowCardinality(String), subdivision2_code LowCardinality(String), city_geoname_id UInt32,
  utm_content String, utm_term String, revenue_reporting_amount Nullable(Decimal64(3)),
  revenue_reporting_currency FixedString(3), revenue_source_amount Nullable(Decimal64(3)),
  revenue_source_currency FixedString(3), channel LowCardinality(String), click_id_param LowCardinality(String),
  scroll_depth UInt8, engagement_time UInt32, os LowCardinality(String) ALIAS operating_system
) ENGINE = MergeTree PARTITION BY toYYYYMM(timestamp) PRIMARY KEY (site_id, toDate(timestamp), name, user_id)
ORDER BY (site_id, toDate(timestamp), name, user_id, timestamp) SAMPLE BY user_id`

const COLUMNS = `timestamp, name, site_id, user_id, session_id, hostname, pathname, referrer, referrer_source, country_code,
  screen_size, operating_system, browser, browser_version, subdivision1_code, city_geoname_id, utm_source, meta.key, meta.value,
  revenue_source_amount, revenue_source_currency, scroll_depth, engagement_time`

/** A visit over midnight, whose ids have twenty digits, and then an order; times are of UTC, whatever the server's zone. */
const VISIT = [
  ['23:59:50', 'pageview', '/', [], 'NULL', '', 0, 0],
  ['23:59:58', 'engagement', '/', [], 'NULL', '', 80, 7900],
  [
    '24:00:05',
    'pageview',
    '/café#menu',
    ['author', 'Ada', 'browser', 'mine', 'x', '1', 'x', '2'],
    'NULL',
    '',
    255,
    0,
  ],
  [
    '24:00:05',
    'pageview',
    '/café#menu',
    ['author', 'Ada', 'browser', 'mine', 'x', '1', 'x', '2'],
    'NULL',
    '',
    255,
    0,
  ],
  ['24:00:30', 'Order', '/thanks', ['items', '12345678901234567890'], '19.900', 'EUR', 0, 0],
] as const

export const PLAUSIBLE_USER = '18446744073709551615'
export const PLAUSIBLE_SESSION = '9223372036854775809'

/** Statements that make Plausible's table: the visit above of site 1, and 180 page views of site 2 in two days, a third of them equal. */
export function plausibleSql(): readonly string[] {
  const rows = VISIT.map(([time, name, path, meta, revenue, currency, depth, engaged]) => {
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number)
    const at = Date.UTC(2024, 2, 1, hours, minutes, seconds) / 1000
    const list = (odd: number) =>
      `[${meta
        .filter((_, at) => at % 2 === odd)
        .map((text) => `'${text}'`)
        .join(', ')}]`
    return `(${at}, '${name}', 1, ${PLAUSIBLE_USER}, ${PLAUSIBLE_SESSION}, 'shop.example', '${path}', 'google.com/search', 'Google', 'DE',
      'Desktop', 'Mac', 'Chrome', '125.0', 'DE-BE', 0, 'spring', ${list(0)}, ${list(1)}, ${revenue}, '${currency}', ${depth}, ${engaged})`
  })
  return [
    TABLE,
    `INSERT INTO events_v2 (${COLUMNS}) VALUES ${rows.join(', ')}`,
    `INSERT INTO events_v2 (timestamp, name, site_id, user_id, session_id, hostname, pathname, browser)
      SELECT toDateTime('2024-03-01 00:00:00', 'UTC') + intDiv(number, 3) * 2880 + intDiv(number % 3, 2), 'pageview', 2, 10000000000000000000 + number % 7 * 0,
        77 + intDiv(number, 60), '(none)', '/', 'Firefox' FROM numbers(180)`,
  ]
}
