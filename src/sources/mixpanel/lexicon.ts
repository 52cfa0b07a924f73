import { z } from 'zod'
import type { AroundRow } from '../../around/index.ts'
import { appList } from './app-api.ts'
import type { MixpanelCall, QueryApi } from './query-api.ts'
import { type Given, given, membersSchema, more } from './said-members.ts'

/*
 * What Mixpanel's Lexicon says of events and properties, by `GET /api/app/projects/<id>/schemas` (docs.mixpanel.com/reference/
 * list-all-schemas-for-project): 5 requests a minute. A property of events is described event by event.
 */

const words = z.string().nullish()
const list = z.array(z.string()).nullish()
const OWN = 'com.mixpanel'

const ownSchema = z.looseObject({
  displayName: words,
  tags: list,
  hidden: z.boolean().nullish(),
  dropped: z.boolean().nullish(),
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
    const { properties: _, ...own } = schemaJson ?? {}
    if (entityType !== 'event' && (sortOf({ entityType, name }) === undefined || more(own)))
      note(
        `Mixpanel's Lexicon describes ${entityType} ${JSON.stringify(name ?? '')}, which is left out: it is no event and no property`,
      )
  }
  return entries
    .filter(({ entityType }) => entityType === 'event')
    .map(({ name, schemaJson }) => {
      const { properties: _, ...own } = schemaJson ?? {}
      return { name: name ?? '', ...described(own) }
    })
}

/**
 * The rows of properties. Where a property is described in other words for some of its events, the row has the words that
 * most events have, and `more.otherwise` the others.
 */
export function lexiconProperties(entries: readonly Entry[]): AroundRow<'properties'>[] {
  const found = new Map<string, { sort: Sort; name: string; words: Map<string, Said> }>()
  for (const { entityType, name: entity, schemaJson } of entries) {
    const sort = sortOf({ entityType, name: entity })
    if (sort === undefined) continue
    for (const [name, definition] of Object.entries(schemaJson?.properties ?? {})) {
      const key = JSON.stringify([sort, name])
      const property = found.get(key) ?? { sort, name, words: new Map<string, Said>() }
      found.set(key, property)
      const fields = propertyFields(definition)
      const said = property.words.get(JSON.stringify(fields)) ?? { fields, events: [] }
      property.words.set(JSON.stringify(fields), said)
      if (entityType === 'event') said.events.push(entity ?? '')
    }
  }
  return [...found.values()].map(({ sort, name, words: said }) => {
    const [most, ...others] = [...said.values()].sort((a, b) => b.events.length - a.events.length)
    const otherwise = others.map(({ fields, events }) => ({ ...fields, events }))
    const events = [most!, ...others].flatMap((one) => one.events)
    return {
      ...sort,
      name,
      ...most!.fields,
      ...given({ events, more: more({ ...most!.fields.more, otherwise }) }),
    }
  })
}

interface Sort {
  readonly of: AroundRow<'properties'>['of']
  readonly group?: string
}
interface Said {
  readonly fields: ReturnType<typeof propertyFields>
  readonly events: string[]
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
  if (!data) return given({ more: more({ definition }) })
  const { type, ...own } = data
  const known = TYPES.get(type)
  const exact = known === undefined || type === 'integer' ? type : undefined
  return given({ type: known, ...described({ ...own, type: exact }) })
}

type Described = Pick<
  AroundRow<'events'>,
  'display_name' | 'description' | 'tags' | 'hidden' | 'owner' | 'more'
>

/** The words of a schema. `false` is what Lexicon takes a flag for that nobody set. */
function described({ description, metadata, ...others }: z.output<typeof describedSchema>): Given<Described> {
  const { [OWN]: own, ...foreign } = metadata ?? {}
  const { displayName, tags, hidden, dropped, contacts, teamContacts, ...rest } = own ?? {}
  return given({
    display_name: displayName,
    description,
    tags,
    hidden: hidden || undefined,
    owner: [...(contacts ?? []), ...(teamContacts ?? [])].join(', '),
    more: more({ ...others, ...rest, dropped: dropped || undefined, metadata: foreign }),
  })
}
