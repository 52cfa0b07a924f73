import { valueAt } from '../mapping/member-path.ts'
import { PRESETS } from './index.ts'

export interface Recognised {
  readonly preset: string
  readonly title: string
  /** The members by which the preset knows its records. */
  readonly members: readonly string[]
  readonly records: number
}

const MIN_SHARE = 0.5

/**
 * Tells which preset parsed records would fit if it took EVENT for `event`, as Snowflake and Oracle spell what nobody quotes.
 * The members are as the preset has them.
 */
export async function recogniseFolded(records: readonly unknown[]): Promise<Recognised | undefined> {
  const found = await recognise(records.map(folded), (path) => path.toLowerCase())
  // Rows in a form of one's own may be spelt as one likes.
  return found?.preset === 'events' ? undefined : found
}

function folded(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name.toLowerCase(), folded(one)]))
}

export async function recognise(
  records: readonly unknown[],
  spelt = (path: string) => path,
): Promise<Recognised | undefined> {
  let best: Recognised | undefined
  for (const { name: preset, title, load } of PRESETS) {
    for (const members of (await load()).recognises) {
      const count = records.filter((record) => hasAll(record, members.map(spelt))).length
      if (count < Math.max(1, records.length * MIN_SHARE)) continue
      const fits = { preset, title, members, records: count }
      if (best === undefined || isBetter(fits, best)) best = fits
    }
  }
  return best
}

function isBetter(one: Recognised, other: Recognised): boolean {
  const longer = one.members.length - other.members.length
  return longer > 0 || (longer === 0 && one.records > other.records)
}

function hasAll(record: unknown, members: readonly string[]): boolean {
  return members.every((path) => valueAt(record, path.split('.')) !== undefined)
}

/**
 * The columns of an enriched event as Snowplow writes it: tabs between them, no header, no quotes. Older pipelines wrote
 * the first 108 or so; later ones may append. Source: `Event.scala` of the analytics SDK; the docs agree.
 */
export const SNOWPLOW_COLUMNS: readonly string[] = `
  app_id platform etl_tstamp collector_tstamp dvce_created_tstamp event event_id txn_id name_tracker
  v_tracker v_collector v_etl user_id user_ipaddress user_fingerprint domain_userid domain_sessionidx
  network_userid geo_country geo_region geo_city geo_zipcode geo_latitude geo_longitude geo_region_name
  ip_isp ip_organization ip_domain ip_netspeed page_url page_title page_referrer page_urlscheme page_urlhost
  page_urlport page_urlpath page_urlquery page_urlfragment refr_urlscheme refr_urlhost refr_urlport
  refr_urlpath refr_urlquery refr_urlfragment refr_medium refr_source refr_term mkt_medium mkt_source
  mkt_term mkt_content mkt_campaign contexts se_category se_action se_label se_property se_value
  unstruct_event tr_orderid tr_affiliation tr_total tr_tax tr_shipping tr_city tr_state tr_country
  ti_orderid ti_sku ti_name ti_category ti_price ti_quantity pp_xoffset_min pp_xoffset_max pp_yoffset_min
  pp_yoffset_max useragent br_name br_family br_version br_type br_renderengine br_lang br_features_pdf
  br_features_flash br_features_java br_features_director br_features_quicktime br_features_realplayer
  br_features_windowsmedia br_features_gears br_features_silverlight br_cookies br_colordepth br_viewwidth
  br_viewheight os_name os_family os_manufacturer os_timezone dvce_type dvce_ismobile dvce_screenwidth
  dvce_screenheight doc_charset doc_width doc_height tr_currency tr_total_base tr_tax_base tr_shipping_base
  ti_currency ti_price_base base_currency geo_timezone mkt_clickid mkt_network etl_tags dvce_sent_tstamp
  refr_domain_userid refr_dvce_tstamp derived_contexts domain_sessionid derived_tstamp event_vendor
  event_name event_format event_version event_fingerprint true_tstamp
`
  .trim()
  .split(/\s+/)

/** Rows of tabs and text without a header, whose columns a vendor's manual lists: quotes in them are data. */
interface Headerless {
  readonly preset: string
  /** In their order; a row may have fewer. What comes after them is named by its place: `column_132`. */
  readonly columns: readonly string[]
  /** Finds a row in the beginning of a file: no header of the same columns fits. */
  readonly row: RegExp
}

export const HEADERLESS: readonly Headerless[] = [
  {
    preset: 'snowplow',
    columns: SNOWPLOW_COLUMNS,
    // Times of the pipeline and the device, then the kind of event and its id.
    row: /^(?:[^\t\n]*\t){3}\d{4}-\d\d-\d\d [^\t\n]*\t[^\t\n]*\t(?:page_view|page_ping|struct|unstruct|transaction|transaction_item|ad_impression)\t[\da-f]{8}-[\da-f-]{27}\t/im,
  },
]
