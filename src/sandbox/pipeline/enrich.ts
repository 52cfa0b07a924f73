import { isObject } from '../ingest/strict-json.ts'

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
 * (store/copies.ts), since they triple an event.
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
  properties.$set = { ...set, ...(isObject(properties.$set) && properties.$set) }
  properties.$set_once = { ...once, ...(isObject(properties.$set_once) && properties.$set_once) }
}
