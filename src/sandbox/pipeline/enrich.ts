import { isIP } from 'node:net'
import { isJsonObject } from '../../text/json.ts'

type Properties = Record<string, unknown>

/** What the service copies from every event to its person, under the same name and as `$initial_…`. */
export const COPIED: readonly string[] = `
  $app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname $os
  $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height $viewport_width $raw_user_agent
  utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid gad_source gclsrc dclid gbraid wbraid fbclid
  msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid _kx epik qclid sccid`
  .trim()
  .split(/\s+/)

/** The person's property that keeps the first value: `$initial_browser` of `$browser`, `$initial_gclid` of `gclid`. */
export function initialName(name: string): string {
  return `$initial_${name.replace('$', '')}`
}

const INITIAL = new Map(COPIED.map((name) => [name, initialName(name)]))
const OF_SERVER = new Set(['$os', '$os_version'])

/**
 * Copies browser, device, page and campaign into `$set` and `$set_once`, but for what the sender set itself. Most events
 * set nothing themselves and are left as they are: true tells the store to make the copies when they are asked for
 * (store/schema.ts), since they triple an event.
 */
export function enrich(properties: Properties): boolean {
  let copies = false
  let isPlain =
    properties.$set === undefined && properties.$set_once === undefined && properties.$is_server !== true
  for (const name of Object.keys(properties)) {
    if (!INITIAL.has(name)) continue
    copies = true
    isPlain &&= properties[name] !== null
  }
  if (copies && !isPlain) copyAll(properties)
  return copies && isPlain
}

function copyAll(properties: Properties): void {
  const set: Properties = {}
  const once: Properties = {}
  for (const [name, initial] of INITIAL) {
    if (properties[name] === undefined) continue
    // The system of a server is not the person's.
    if (properties.$is_server === true && OF_SERVER.has(name)) continue
    set[name] = properties[name]
    once[initial] = properties[name]
  }
  if (Object.keys(set).length === 0) return
  properties.$set = { ...set, ...(isJsonObject(properties.$set) && properties.$set) }
  properties.$set_once = { ...once, ...(isJsonObject(properties.$set_once) && properties.$set_once) }
}

/** Places that nobody takes for real ones; their country codes are never given to a country. */
const PLACES: readonly Properties[] = [
  ['Sandcastle', 'Beachland', 'XA', 'Atlantis', 'AT', 11.5, -40.25, 'Etc/UTC'],
  ['Dune Harbour', 'Sahalia', 'XB', 'Atlantis', 'AT', -12, -38.5, 'Etc/GMT+3'],
  ['Bucket-on-Sea', 'Spadeshire', 'XC', 'Lemuria', 'LE', -20.75, 75, 'Etc/GMT-5'],
].map(([city, country, code, continent, continentCode, latitude, longitude, zone]) => ({
  city_name: city,
  country_name: country,
  country_code: code,
  continent_name: continent,
  continent_code: continentCode,
  latitude,
  longitude,
  time_zone: zone,
}))

/** Gives an event without an address that of its sender. */
export function addAddress(properties: Properties, sender: string): void {
  if (properties.$ip === undefined || properties.$ip === null || properties.$ip === '')
    properties.$ip = sender
}

/** Stamps a made-up place, always the same for an address, on an event and its person, unless the event forbids it. */
export function addPlace(properties: Properties): void {
  const { $ip, $geoip_disable } = properties
  if ($geoip_disable || typeof $ip !== 'string' || isIP($ip) === 0) return
  const sum = Buffer.from($ip).reduce((total, byte) => total + byte, 0)
  const set: Properties = isJsonObject(properties.$set) ? { ...properties.$set } : {}
  const once: Properties = isJsonObject(properties.$set_once) ? { ...properties.$set_once } : {}
  for (const [name, value] of Object.entries(PLACES[sum % PLACES.length]!)) {
    properties[`$geoip_${name}`] = value
    set[`$geoip_${name}`] = value
    once[`$initial_geoip_${name}`] = value
  }
  properties.$set = set
  properties.$set_once = once
}
