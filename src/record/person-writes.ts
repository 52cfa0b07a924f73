/** Properties of an event that the service copies to its person: as `$set`, and the first of them as `$initial_…`. */
export const COPIED_TO_PERSON: ReadonlySet<string> = new Set(
  [
    '$app_build $app_name $app_namespace $app_version $browser $browser_version $device_type $current_url $pathname',
    '$os $os_name $os_version $referring_domain $referrer $screen_height $screen_width $viewport_height',
    '$viewport_width $raw_user_agent utm_source utm_medium utm_campaign utm_content utm_name utm_term gclid',
    'gad_source gclsrc dclid gbraid wbraid fbclid msclkid twclid li_fat_id mc_cid igshid ttclid rdt_cid irclid',
    '_kx epik qclid sccid',
  ].flatMap((names) => names.split(' ')),
)

/** What begins the names of the properties that keep an event's first value. */
export const INITIAL = '$initial_'

/** Values by name, parsed. */
export type PersonWriteValues = Readonly<Record<string, unknown>>

/** What an event does to its person's properties. */
export interface PersonWrites {
  readonly set: PersonWriteValues
  readonly setOnce: PersonWriteValues
  readonly unset: readonly string[]
}

/** The events that update no person, whatever they hold. */
const NO_PERSON = '$groupidentify'

/** What the service makes of an event's properties on its person; undefined if the event has none. */
export function personWrites(event: string, properties: PersonWriteValues): PersonWrites | undefined {
  if (event === NO_PERSON || properties.$process_person_profile === false) return undefined
  const set: Record<string, unknown> = Object.create(null)
  const setOnce: Record<string, unknown> = Object.create(null)
  const isServer = properties.$is_server === true
  for (const [name, value] of Object.entries(properties)) {
    if (!COPIED_TO_PERSON.has(name) || (isServer && /^\$os(_name|_version)?$/.test(name))) continue
    // The service reads a missing $os from $os_name.
    const copied = name === '$os_name' ? '$os' : name
    if (copied !== name && properties.$os !== undefined) continue
    set[copied] = value
    setOnce[INITIAL + copied.replace('$', '')] = value
  }
  Object.assign(set, objectOf(properties.$set))
  Object.assign(setOnce, objectOf(properties.$set_once))
  const { $unset: unset } = properties
  return {
    set,
    setOnce,
    unset: Array.isArray(unset) ? unset.filter((name) => typeof name === 'string') : [],
  }
}

function objectOf(value: unknown): object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {}
}
