import { z } from 'zod'
import { type AroundRow, type Given, given, restOf } from '../../around/index.ts'
import { isJsonObject } from '../../text/index.ts'
import { appList } from './app-api.ts'
import type { MixpanelCall, QueryApi } from './query-api.ts'

/*
 * What Mixpanel's Lexicon says of events and properties, by `GET /api/app/projects/<id>/schemas` (docs.mixpanel.com/reference/
 * list-all-schemas-for-project): 5 requests a minute. A property of events is described event by event.
 */

/** An object as it was parsed. A schema that copies its members would drop one that is called `__proto__`. */
const membersSchema = z.custom<Readonly<Record<string, z.core.util.JSONType>>>(
  isJsonObject,
  'expected an object',
)
const words = z.string().nullish()
const list = z.array(z.string()).nullish()
const OWN = 'com.mixpanel'

const ownSchema = z.looseObject({
  displayName: words,
  tags: list,
  hidden: z.boolean().nullish(),
  contacts: list,
  teamContacts: list,
})
const describedSchema = z.looseObject({
  description: words,
  metadata: z.looseObject({ [OWN]: ownSchema.nullish() }).nullish(),
})
const propertySchema = z.looseObject({ ...describedSchema.shape, type: z.unknown() })
const entrySchema = z.object({
  entityType: z.string(),
  name: words,
  schemaJson: z.looseObject({ ...describedSchema.shape, properties: membersSchema.nullish() }).nullish(),
})
type Entry = z.output<typeof entrySchema>

/** The name of the schema of user profiles. */
const USER = '$user'
/** What a property's type is called here. JSON Schema's integers are numbers, too. */
const TYPES = new Map<unknown, AroundRow<'properties'>['type']>([
  ['string', 'text'],
  ['number', 'number'],
  ['integer', 'number'],
  ['boolean', 'boolean'],
  ['array', 'list'],
  ['object', 'object'],
])

export function lexiconOf(api: QueryApi, call: MixpanelCall): Promise<Entry[]> {
  return appList(api, { path: 'schemas', row: entrySchema }, call)
}

/** The rows of events. Says what else the Lexicon has that is neither an event nor a property. */
export function lexiconEvents(entries: readonly Entry[], { note }: MixpanelCall): AroundRow<'events'>[] {
  for (const { entityType, name, schemaJson } of entries) {
    const isKnown = sortOf({ entityType, name }) !== undefined && !restOf(schemaJson ?? {}, ['properties'])
    if (entityType === 'event' || isKnown) continue
    const what = `${entityType} ${JSON.stringify(name ?? '')}`
    note(`Mixpanel's Lexicon describes ${what}, which is left out: it is no event and no property`)
  }
  return entries
    .filter(({ entityType }) => entityType === 'event')
    .map(({ name, schemaJson }) => ({
      name: name ?? '',
      ...described({ ...schemaJson, properties: undefined }),
    }))
}

/** The rows of properties: one for each event that describes it. */
export function lexiconProperties(entries: readonly Entry[]): AroundRow<'properties'>[] {
  return entries.flatMap(({ entityType, name: entity, schemaJson }) => {
    const sort = sortOf({ entityType, name: entity })
    return Object.entries((sort && schemaJson?.properties) ?? {}).map(([name, definition]) => ({
      ...sort!,
      name,
      ...propertyFields(definition),
      ...(entityType === 'event' && { events: [entity ?? ''] }),
    }))
  })
}

interface Sort {
  readonly of: AroundRow<'properties'>['of']
  readonly group?: string
}

/** Whose properties a schema describes. Only `event` and `profile` are documented; `group` is what Lexicon calls others' profiles. */
function sortOf({ entityType, name }: Pick<Entry, 'entityType' | 'name'>): Sort | undefined {
  if (entityType === 'event') return { of: 'event' }
  if (entityType === 'profile' && name === USER) return { of: 'person' }
  return entityType === 'group' && name ? { of: 'group', group: name } : undefined
}

/** A definition of another form is kept as it is. */
function propertyFields(definition: unknown): Given<Described & Pick<AroundRow<'properties'>, 'type'>> {
  const { data } = propertySchema.safeParse(definition)
  if (!data) return given({ more: restOf({ definition }, []) })
  const { type, ...own } = data
  const known = TYPES.get(type)
  const exact = known === undefined || type === 'integer' ? type : undefined
  return given({ type: known, ...described({ ...own, type: exact }) })
}

type Described = Pick<
  AroundRow<'events'>,
  'display_name' | 'description' | 'tags' | 'hidden' | 'owner' | 'more'
>

/** The words of a schema. A flag that is `false` is one that nobody set. */
function described({ description, metadata, ...others }: z.output<typeof describedSchema>): Given<Described> {
  const { [OWN]: own, ...foreign } = metadata ?? {}
  const { displayName, tags, hidden, contacts, teamContacts, ...rest } = own ?? {}
  return given({
    display_name: displayName,
    description,
    tags,
    hidden,
    owner: [...(contacts ?? []), ...(teamContacts ?? [])].join(', '),
    more: restOf({ ...others, ...rest, metadata: foreign }, []),
  })
}
