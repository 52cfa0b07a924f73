import { isIP } from 'node:net'
import { isObject } from '../ingest/strict-json.ts'

type Properties = Record<string, unknown>

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
  const set: Properties = isObject(properties.$set) ? { ...properties.$set } : {}
  const once: Properties = isObject(properties.$set_once) ? { ...properties.$set_once } : {}
  for (const [name, value] of Object.entries(PLACES[sum % PLACES.length]!)) {
    properties[`$geoip_${name}`] = value
    set[`$geoip_${name}`] = value
    once[`$initial_geoip_${name}`] = value
  }
  properties.$set = set
  properties.$set_once = once
}
