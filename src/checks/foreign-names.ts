/** How posthaul calls what a vendor knows and the service has no name for: `$mixpanel_lib`. */
const OURS =
  /^\$(?:amplitude|events|ga4|heap|kissmetrics|matomo|mixpanel|mparticle|pendo|rudderstack|segment|simple_analytics|snowplow|statsig|ua|umami)_/

const EVENTS = [
  '$$client_ingestion_warning',
  '$$heatmap',
  '$autocapture',
  '$bot_pageview',
  '$capture_metrics',
  '$copy_autocapture',
  '$create_alias',
  '$csp_violation',
  '$dead_click',
  '$delete',
  '$exception',
  '$groupidentify',
  '$group_identify',
  '$http_log',
  '$identify',
  '$merge_dangerously',
  '$opt_in',
  '$pageleave',
  '$pageview',
  '$performance_event',
  '$push_notification_opened',
  '$rageclick',
  '$screen',
  '$set',
  '$unset',
  '$web_vitals',
]
const EVENT_FAMILIES =
  /^\$(?:ai|conversations|experiment|feature|mcp|product_tour|snapshot|survey|web_experiment|workflows)_/

/** Properties whose names begin with one of these words are the service's. */
const FAMILIES = [
  'active_feature ai anon_distinct app autocapture bounce browser capture ce_version channel client_session config',
  'console_log conversations cookieless copy creator_event csp current cymbal dead_click debug device distinct_id',
  'dom_ el_ elements enabled_feature end_ entry_ event_ exception exit_ experiment external_ feature geoip group had_',
  'heatmap hostname host identified import initial insert_id ip is_ lib loaded locale log_ mcp msg navigator network',
  'os override_feature pageview pathname performance person plugins posthog prev_pageview process_person product_tour',
  'raw_ recording referr replay revenue screen sdk search_engine selected_content sent_at sentry session set',
  'snapshot start_timestamp survey time title toolbar touch transformations unset used_bootstrap user_agent user_id',
  'value viewport virt web_vitals web_experiment window_id workflow',
]
  .join(' ')
  .split(' ')
const PROPERTY_FAMILIES = new RegExp(`^\\$\\$?(?:${FAMILIES.join('|')})`)
const OWN_EVENTS: ReadonlySet<string> = new Set(EVENTS)

/** True for a name that looks like one of the service's own events but isn't: most often a vendor's. */
export function isForeignEvent(name: string): boolean {
  return name.startsWith('$') && !OWN_EVENTS.has(name) && !EVENT_FAMILIES.test(name)
}

/** The same for the name of a property. */
export function isForeignProperty(name: string): boolean {
  return name.startsWith('$') && !PROPERTY_FAMILIES.test(name) && !OURS.test(name)
}
