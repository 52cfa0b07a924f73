import type { Target } from '../../mapping/preset.ts'
import type { Fold, SideTable } from '../../mapping/side-table.ts'
import { members } from '../../record/json-values.ts'
import { ENTITY_COLUMNS } from './entities.ts'

/** Books of the pipeline, and what the address or the user agent says again. */
const BOOKS = [
  'v_collector v_etl etl_tags etl_tstamp dvce_sent_tstamp event_format br_cookies br_colordepth txn_id name_tracker',
  'load_tstamp page_urlscheme page_urlport page_urlquery page_urlfragment',
  'refr_urlscheme refr_urlport refr_urlpath refr_urlquery refr_urlfragment',
]
  .join(' ')
  .split(' ')

/** Columns that are numbers, which rows of text have as text: the TSV, and CSV out of a warehouse. */
export const NUMBERS: Readonly<Record<string, string>> = {
  br_viewwidth: '$viewport_width',
  br_viewheight: '$viewport_height',
  dvce_screenwidth: '$screen_width',
  dvce_screenheight: '$screen_height',
  geo_latitude: '$geoip_latitude',
  geo_longitude: '$geoip_longitude',
  domain_sessionidx: '$snowplow_session_index',
  ...Object.fromEntries(
    [
      'se_value doc_width doc_height pp_xoffset_min pp_xoffset_max pp_yoffset_min pp_yoffset_max tr_total tr_tax',
      'tr_shipping tr_total_base tr_tax_base tr_shipping_base ti_price ti_price_base ti_quantity',
    ]
      .join(' ')
      .split(' ')
      .map((name) => [name, name]),
  ),
}

/** The columns that are the same for every event, and where they go. */
export const SNOWPLOW_FIELDS: Readonly<Record<string, Target>> = {
  event: '@event',
  event_name: '@event_name',
  event_vendor: '@event_vendor',
  event_version: '$snowplow_event_version',
  event_id: ['@event_id', '$snowplow_event_id'],
  event_fingerprint: '@fingerprint',
  user_id: '@user_id',
  domain_userid: ['@domain_userid', '$snowplow_domain_userid'],
  network_userid: ['@network_userid', '$snowplow_network_userid'],
  user_fingerprint: '$snowplow_user_fingerprint',
  domain_sessionid: ['@domain_sessionid', '$snowplow_session_id'],
  true_tstamp: '@true_tstamp',
  derived_tstamp: '@derived_tstamp',
  collector_tstamp: '@collector_tstamp',
  dvce_created_tstamp: '$snowplow_dvce_created_tstamp',
  app_id: '$snowplow_app_id',
  platform: '$snowplow_platform',
  v_tracker: '$snowplow_tracker',
  'first_of_id.event_fingerprint': '@first_fingerprint',
  'first_of_id.collector_tstamp': '@first_collected',
  'first_delivery.collector_tstamp': '@first_delivery',
  'session_start.true_tstamp': '@session_true',
  'session_start.derived_tstamp': '@session_derived',
  'session_start.collector_tstamp': '@session_collector',

  page_url: '$current_url',
  page_urlhost: '$host',
  page_urlpath: '$pathname',
  page_title: 'title',
  page_referrer: '$referrer',
  refr_urlhost: '$referring_domain',
  mkt_source: 'utm_source',
  mkt_medium: 'utm_medium',
  mkt_campaign: 'utm_campaign',
  mkt_term: 'utm_term',
  mkt_content: 'utm_content',
  mkt_clickid: ['@mkt_clickid', '$snowplow_clickid'],
  mkt_network: ['@mkt_network', '$snowplow_network'],

  useragent: '$raw_user_agent',
  br_name: '$browser',
  br_version: '$browser_version',
  br_lang: '$browser_language',
  'br_features_*': [],
  os_name: '$os',
  os_timezone: '$timezone',
  dvce_type: '$device_type',

  user_ipaddress: '$ip',
  geo_country: '$geoip_country_code',
  geo_region: '$geoip_subdivision_1_code',
  geo_region_name: '$geoip_subdivision_1_name',
  geo_city: '$geoip_city_name',
  geo_zipcode: '$geoip_postal_code',
  geo_timezone: '$geoip_time_zone',

  se_action: ['@se_action', 'se_action'],
  contexts: '@contexts',
  derived_contexts: '@derived_contexts',
  unstruct_event: '@unstruct_event',
  // A row holds one self-describing event, in the column of its schema.
  'unstruct_event_*': '@self_describing',
  ...Object.fromEntries(Object.keys(NUMBERS).map((name) => [name, `@${name}`])),
  ...ENTITY_COLUMNS,
  ...Object.fromEntries(BOOKS.map((name) => [name, []])),
  '*': '*',
}

/** Times of a row, the best first. */
const TIMES = ['true_tstamp', 'derived_tstamp', 'collector_tstamp']

/**
 * What only all records together tell. Delivery is at least once: rows with one event_id and event_fingerprint are one
 * event, and the collector's earliest stands. Rows with one event_id and several fingerprints are several events, of
 * bots and cached pages: the earliest keeps the id as its uuid. A web session has no start in its rows but the earliest.
 */
export const SNOWPLOW_TABLES: readonly SideTable[] = [
  {
    name: 'first_of_id',
    help: 'the first event of each event_id',
    on: { event_id: ['event_id'] },
    as: 'first_of_id',
    ofRecords: ['collector_tstamp', 'event_fingerprint'],
    several: earliest(['collector_tstamp']),
    expected: false,
  },
  {
    name: 'first_delivery',
    help: 'the first delivery of each event',
    on: { event_id: ['event_id'], event_fingerprint: ['event_fingerprint'] },
    as: 'first_delivery',
    ofRecords: ['collector_tstamp'],
    several: earliest(['collector_tstamp']),
    expected: false,
  },
  {
    name: 'session_start',
    help: 'the first event of each web session',
    on: { domain_sessionid: ['domain_sessionid'] },
    as: 'session_start',
    ofRecords: TIMES,
    several: earliest(TIMES),
    expected: false,
  },
]

/** Keeps the row with the earliest time; of two with one time the one whose text is smaller, whatever their order. */
function earliest(times: readonly string[]): Fold {
  const placeOf = (row: string) => {
    const cells = new Map(members(row))
    return times.map((time) => cells.get(time)).find((json) => json !== undefined && json !== 'null') ?? ''
  }
  return (held, row) => {
    if (held === undefined) return row
    const [a, b] = [placeOf(held), placeOf(row)]
    return a < b || (a === b && held < row) ? held : row
  }
}
