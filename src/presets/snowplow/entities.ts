import type { Draft, RecordView } from '../../mapping/preset.ts'
import { elements, members } from '../../record/json-values.ts'
import { textIn } from '../../record/text.ts'
import { ownOf } from '../../text/json.ts'

/** The entities that have slots of their own: the vendor and name of their schemas in snake case. */
const WAREHOUSE: Readonly<Record<string, string>> = {
  com_snowplowanalytics_snowplow_web_page: 'web_page',
  com_snowplowanalytics_snowplow_mobile_context: 'mobile_context',
  com_snowplowanalytics_mobile_application: 'application',
  com_snowplowanalytics_snowplow_browser_context: 'browser_context',
  com_snowplowanalytics_snowplow_client_session: 'client_session',
  com_snowplowanalytics_snowplow_ua_parser_context: 'ua_parser_context',
  com_snowplowanalytics_mobile_screen: 'screen',
  com_iab_snowplow_spiders_and_robots: 'spiders_and_robots',
  nl_basjes_yauaa_context: 'yauaa_context',
}
/** Loaders write the major version; the older one of BigQuery all three. */
const VERSIONS = ['1', '2', ...['1_0_0', '1_0_1', '1_0_2', '1_0_3', '1_0_4', '1_1_0', '2_0_0', '2_0_1']]

/** Column of a warehouse -> the slot of its entity. */
export const ENTITY_COLUMNS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(WAREHOUSE).flatMap(([schema, name]) =>
    VERSIONS.map((version) => [`contexts_${schema}_${version}`, `@entity_${name}`]),
  ),
)

/** Members of entities, in snake case, that the service or the preset has a name for. Others stay with their entity. */
const NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  web_page: { id: '$snowplow_page_view_id' },
  mobile_context: {
    os_type: '$os',
    os_version: '$os_version',
    device_manufacturer: '$device_manufacturer',
    device_model: '$device_model',
    carrier: '$network_carrier',
  },
  application: { version: '$app_version', build: '$app_build' },
  browser_context: { browser_language: '$browser_language' },
  yauaa_context: {
    agent_name: '$browser',
    agent_version: '$browser_version',
    operating_system_name: '$os',
    operating_system_version: '$os_version',
    device_class: '$device_type',
    device_brand: '$device_manufacturer',
    device_name: '$device_model',
  },
  ua_parser_context: { useragent_family: '$browser', os_family: '$os' },
}
/** What the parsers of user agents write for what they don't know. */
const UNKNOWN = /^"(?:Unknown|Unknown \?\?|\?\?|Other|)"$/

export type Entities = ReadonlyMap<string, readonly string[]>

/** The entities of an event by name, each as JSON objects: out of `contexts` and `derived_contexts`, or their columns. */
export function entitiesOf(record: RecordView): Entities {
  const found = new Map<string, string[]>()
  const add = (name: string, json: string) => found.set(name, [...(found.get(name) ?? []), json])
  for (const slot of ['contexts', 'derived_contexts']) {
    if (record.object(slot) === undefined) continue
    const data = record.entries(slot).find(([name]) => name === 'data')?.[1] ?? '[]'
    for (const one of elements(data)) {
      const described = describedBy(one)
      if (described) add(described.name, described.data)
      else add('context', one)
    }
  }
  for (const name of Object.values(WAREHOUSE)) {
    for (const json of entityJson(record, `entity_${name}`)) add(name, json)
  }
  return found
}

/** A warehouse has an array of objects; some extracts have the object alone. */
function entityJson(record: RecordView, slot: string): readonly string[] {
  const json = record.json(slot)
  if (json === undefined) return []
  return json.startsWith('[') ? record.elements(slot) : json.startsWith('{') ? [json] : []
}

/** A schema's name and the data that it describes: `{"schema":"iglu:vendor/name/jsonschema/1-0-0","data":…}`. */
export function describedBy(json: string): { readonly name: string; readonly data: string } | undefined {
  if (!json.startsWith('{')) return undefined
  const parts = new Map(members(json))
  const [, name] = /^"iglu:[^/"]+\/([^/"]+)\//.exec(parts.get('schema') ?? '') ?? []
  const data = parts.get('data')
  return name === undefined || data === undefined ? undefined : { name: snake(name), data }
}

/** Writes what the entities tell: what has a name under it, the rest under the entity's own name. */
export function describeEntities(entities: Entities, draft: Draft): void {
  for (const [name, all] of entities) {
    const rest = all.map((json) => withoutNamed(name, json, draft)).filter((json) => json !== '{}')
    if (rest.length > 0)
      draft.property(name, rest.length === 1 ? rest[0]! : `[${rest.join(',')}]`, `$snowplow_${name}`)
  }
}

function withoutNamed(entity: string, json: string, draft: Draft): string {
  const names = ownOf(NAMES, entity)
  if (!names || !json.startsWith('{')) return json
  const rest: string[] = []
  for (const [member, value] of members(json)) {
    const name = ownOf(names, snake(member))
    // The first that knows it has the word: entities of one event describe one client.
    if (name !== undefined && !UNKNOWN.test(value) && !draft.has(name)) draft.property(name, value)
    else if (value !== 'null' && value !== '""') rest.push(`${JSON.stringify(member)}:${value}`)
  }
  return `{${rest.join(',')}}`
}

/** A member of the first entity of a name, as text. */
export function entityText(entities: Entities, name: string, member: string): string | undefined {
  const json = entities.get(name)?.[0]
  if (!json?.startsWith('{')) return undefined
  const value = members(json).find(([key]) => snake(key) === member)?.[1]
  if (value === undefined || value === 'null' || value === '""') return undefined
  return textIn(value)
}

/** `deviceModel` -> `device_model`, `screen-view` -> `screen_view`: loaders spell members either way. */
export function snake(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[-.]/g, '_')
    .toLowerCase()
}
