import type { Target } from '../../mapping/preset.ts'

/** Members by which Amplitude's records are told from others. */
export const RECOGNISES: ReadonlyArray<readonly string[]> = [
  ['event_type', 'event_time', 'amplitude_id'],
  ['event_type', 'event_time', 'device_id'],
  ['event_type', 'event_time', 'user_id', 'session_id'],
  ['event_type', 'event_time', 'event_properties'],
  ['event_type', 'event_time', 'group_properties'],
]

/**
 * The members of an export's records. What is not one of the owner's properties is kept under `$amplitude_<name>`: a bare
 * `plan` or `platform` would be taken for one, and often is one. Amplitude's own books are left out.
 */
export const AMPLITUDE_FIELDS: Readonly<Record<string, Target>> = {
  event_type: '@event',
  event_time: '@time',
  client_event_time: ['@time', '$amplitude_client_event_time'],
  uuid: '@uuid',
  $insert_id: ['@insert_id', '$insert_id'],
  user_id: ['@user_id', '$amplitude_user_id'],
  device_id: ['@device_id', '$device_id', '$amplitude_device_id'],
  amplitude_id: ['@amplitude_id', '$amplitude_id'],
  event_id: '$amplitude_event_id',
  session_id: '@session_id',

  'event_properties.[Amplitude] Page Location': '$current_url',
  'event_properties.[Amplitude] Page URL': '@page_url',
  'event_properties.[Amplitude] Page Domain': '$host',
  'event_properties.[Amplitude] Page Path': '$pathname',
  'event_properties.[Amplitude] Page Title': 'title',
  'event_properties.[Amplitude] Screen Name': '$screen_name',
  'event_properties.[Amplitude] Viewport Height': '$viewport_height',
  'event_properties.[Amplitude] Viewport Width': '$viewport_width',
  'event_properties.[Amplitude] Element Tag': ['@el_tag', '[Amplitude] Element Tag'],
  'event_properties.[Amplitude] Element ID': ['@el_id', '[Amplitude] Element ID'],
  'event_properties.[Amplitude] Element Class': ['@el_class', '[Amplitude] Element Class'],
  'event_properties.[Amplitude] Element Text': ['@el_text', '[Amplitude] Element Text'],
  'event_properties.[Amplitude] Element Href': ['@el_href', '[Amplitude] Element Href'],
  'event_properties.referrer': '$referrer',
  'event_properties.referring_domain': '$referring_domain',
  'event_properties.*': '*',

  country: ['$geoip_country_name', 'set:$geoip_country_name'],
  region: ['$geoip_subdivision_1_name', 'set:$geoip_subdivision_1_name'],
  city: ['$geoip_city_name', 'set:$geoip_city_name'],
  location_lat: ['$geoip_latitude', 'set:$geoip_latitude'],
  location_lng: ['$geoip_longitude', 'set:$geoip_longitude'],
  dma: '$amplitude_dma',
  ip_address: '$ip',
  language: '$browser_language',
  version_name: '$app_version',
  platform: ['@platform', '$amplitude_platform'],
  library: ['@library', '$amplitude_library'],
  os_name: '@os_name',
  os_version: '@os_version',
  device_family: '@device_family',
  device_type: '@device_type',
  device_brand: '$amplitude_device_brand',
  device_model: '$device_model',
  device_manufacturer: '$device_manufacturer',
  device_carrier: '$network_carrier',
  adid: '$amplitude_adid',
  idfa: '$amplitude_idfa',

  paying: ['$amplitude_paying', 'set:$amplitude_paying'],
  start_version: ['$amplitude_start_version', 'once:$amplitude_start_version'],
  user_creation_time: ['$amplitude_user_creation_time', 'once:$amplitude_user_creation_time'],
  plan: '$amplitude_plan',
  sample_rate: '$amplitude_sample_rate',
  partner_id: '$amplitude_partner_id',
  source_id: '$amplitude_source_id',
  is_attribution_event: '$amplitude_is_attribution_event',
  amplitude_attribution_ids: '$amplitude_attribution_ids',

  $insert_key: [],
  $schema: [],
  app: [],
  amplitude_event_type: [],
  data: [],
  data_type: [],
  followed_an_identify: [],
  global_user_properties: [],
  client_upload_time: [],
  server_upload_time: [],
  server_received_time: [],
  processed_time: [],
  // Warehouses write these names without the $.
  insert_id: ['@insert_id', '$insert_id'],
  insert_key: [],
  schema: [],

  // The user's state at that moment. What was first seen of the user doesn't overwrite.
  'user_properties.initial_*': 'once:$*',
  'user_properties.*': 'set:*',
  groups: '@groups',
  group_properties: '@group_properties',
}

/** The same for Snowflake, which writes the names of columns in upper case. What the objects hold keeps its case. */
export const UPPER_FIELDS: Readonly<Record<string, Target>> = Object.fromEntries(
  Object.entries(AMPLITUDE_FIELDS).map(([path, target]) => [upper(path), target]),
)

/** A path with its first name in upper case. */
export function upper(path: string): string {
  return path.replace(/^[^.]+/, (name) => name.toUpperCase())
}

export function bothCases(paths: readonly string[]): string[] {
  return paths.flatMap((path) => [path, upper(path)])
}
