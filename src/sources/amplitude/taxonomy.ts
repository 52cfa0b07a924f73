import { z } from 'zod'
import {
  type AroundCall,
  type AroundRow,
  given,
  isEmpty,
  mergeAlike,
  restOf,
  type Untold,
} from '../../around/index.ts'
import { firstFew } from '../../text/index.ts'
import { isUntold, type NotTold, orUntold } from '../not-told.ts'
import { type AroundAsker, askAround, refusedAlone } from './asked-around.ts'

/*
 * The Taxonomy API (amplitude.com/docs/apis/analytics/taxonomy): `{success: true, data: [...]}`, each list whole in one answer.
 * The document shows fewer fields than there are; those without a field of a row are kept in `more`.
 */
const words = z.string().nullish()
const flag = z.boolean().nullish()
const name = z.string().min(1)

const listOf = <T extends z.ZodType>(row: T) => z.object({ success: z.literal(true), data: z.array(row) })

const CATEGORIES = listOf(z.looseObject({ name }))

const EVENTS = listOf(
  z.looseObject({
    event_type: name,
    category: z.looseObject({ name: words }).nullish(),
    description: words,
  }),
)
/** Fields of events that no document of the answer shows. One of another form than this is kept in `more`. */
const UNSHOWN = { display_name: z.string(), owner: z.string(), tags: z.array(z.string()) }
const HIDDEN = /^(?:deleted|is_hidden_from_\w+)$/

const property = { description: words, type: words, is_array_type: flag, is_hidden: flag }
const EVENT_PROPERTIES = listOf(z.looseObject({ event_property: name, event_type: words, ...property }))
const USER_PROPERTIES = listOf(z.looseObject({ user_property: name, ...property }))
const GROUP_PROPERTIES = listOf(z.looseObject({ group_property: name, group_type: words, ...property }))

const BASE = '/api/2/taxonomy'
/** Events whose names a note has. */
const NAMED = 20

/** Amplitude's events. A category becomes a tag. Those that are deleted are told too: a history has them. */
export async function taxonomyEvents(
  asker: AroundAsker,
  call: AroundCall,
): Promise<readonly AroundRow<'events'>[] | Untold> {
  const told = await orUntold(listEvents(asker, call))
  if (isUntold(told)) return told
  const what = 'list of categories'
  const categories = await orUntold(askAround(asker, `${BASE}/category`, CATEGORIES, { call, what }))
  const used = new Set(told.map(({ category }) => category?.name))
  const names = isUntold(categories) ? [] : categories.data.map((one) => one.name)
  const unused = names.filter((one) => !used.has(one))
  if (unused.length > 0) call.note(`categories without events are not carried: ${unused.join(', ')}`)
  return mergeAlike('events', told.map(eventRow))
}

async function listEvents(asker: AroundAsker, call: AroundCall): Promise<Told<typeof EVENTS>[]> {
  const path = `${BASE}/event?showDeleted=true`
  return (await askAround(asker, path, EVENTS, { call, what: 'list of events' })).data
}

type Told<S extends z.ZodType<{ data: unknown[] }>> = z.output<S>['data'][number]

function eventRow(told: Told<typeof EVENTS>): AroundRow<'events'> {
  const { event_type, category, description, is_active: isActive } = told
  const found = Object.entries(UNSHOWN).map(([field, schema]) => [field, schema.safeParse(told[field]).data])
  const seen = Object.fromEntries(found.filter(([, value]) => !isEmpty(value))) as Partial<
    Pick<AroundRow<'events'>, keyof typeof UNSHOWN>
  >
  const tags = [...new Set([...(category?.name ? [category.name] : []), ...(seen.tags ?? [])])]
  const said = ['event_type', 'description', ...Object.keys(seen), ...(category?.name ? ['category'] : [])]
  // That it is active says nothing; one that is not is blocked.
  const rest = restOf(told, [...said, 'is_active'])
  const more = isActive === false ? { ...rest, is_active: false } : rest
  return {
    name: event_type,
    ...given({ description }),
    ...seen,
    ...(seen.display_name === event_type && { display_name: undefined }),
    ...given({
      tags,
      hidden: Object.entries(told).some(([field, value]) => HIDDEN.test(field) && value === true),
      more,
    }),
  }
}

/** Properties of events, one request an event, and of users and groups. What is refused is noted, unless all is. */
export async function taxonomyProperties(
  asker: AroundAsker,
  call: AroundCall,
): Promise<readonly AroundRow<'properties'>[] | Untold> {
  const parts = {
    events: await orUntold(eventProperties(asker, call)),
    users: await orUntold(userProperties(asker, call)),
    groups: await orUntold(groupProperties(asker, call)),
  }
  const refused = Object.entries(parts).filter(([, told]) => isUntold(told)) as [string, Untold][]
  if (refused.length === 3) return refused[0]![1]
  for (const [of, { untold }] of refused) call.note(`properties of ${of} are not told: ${untold}`)
  const rows = Object.values(parts).flatMap((told) => (isUntold(told) ? [] : told))
  return mergeAlike('properties', rows)
}

async function eventProperties(asker: AroundAsker, call: AroundCall): Promise<AroundRow<'properties'>[]> {
  const events = await listEvents(asker, call)
  const rows: AroundRow<'properties'>[] = []
  const without: string[] = []
  // Without an event the answer has those that events share; older documents know no such question.
  for (const event of new Set([undefined, ...events.map(({ event_type: one }) => one)])) {
    const asked = event === undefined ? '' : `?${new URLSearchParams({ event_type: event })}`
    const told = await orUntold(
      askAround(asker, `${BASE}/event-property${asked}`, EVENT_PROPERTIES, {
        ...{ call, what: 'list of event properties', expected: noneTold },
      }),
    )
    if (!isUntold(told)) rows.push(...told.data.map((one) => eventPropertyRow(one, event)))
    else if (event !== undefined) without.push(event)
  }
  if (without.length > 0)
    call.note(`properties are not told of ${without.length} events: ${firstFew(without, NAMED)}`)
  return rows
}

/** An event that the taxonomy doesn't have answers 400 `Not found`. */
function noneTold(status: number, words: string): NotTold | undefined {
  return status === 400 || status === 404 ? refusedAlone(status, words) : undefined
}

function eventPropertyRow(
  told: Told<typeof EVENT_PROPERTIES>,
  asked: string | undefined,
): AroundRow<'properties'> {
  const event = told.event_type || asked
  return {
    ...{ of: 'event', name: told.event_property },
    ...(event && { events: [event] }),
    ...describedProperty(told, ['event_property', 'event_type']),
  }
}

async function userProperties(asker: AroundAsker, call: AroundCall): Promise<AroundRow<'properties'>[]> {
  const path = `${BASE}/user-property?showDeleted=true`
  const { data } = await askAround(asker, path, USER_PROPERTIES, { call, what: 'list of user properties' })
  // Amplitude's own have no prefix. Where a team's has the name of one, the team's words come first.
  const own = data.toSorted((a, b) => Number(isOwn(b.user_property)) - Number(isOwn(a.user_property)))
  return own.map((told) => ({
    ...{ of: 'person', name: told.user_property.replace(/^gp:(?=.)/, '') },
    ...describedProperty(told, ['user_property']),
  }))
}

const isOwn = (property: string) => property.startsWith('gp:')

async function groupProperties(asker: AroundAsker, call: AroundCall): Promise<AroundRow<'properties'>[]> {
  const what = 'list of group properties'
  const { data } = await askAround(asker, `${BASE}/group-property`, GROUP_PROPERTIES, { call, what })
  return data.map((told) => ({
    ...{ of: 'group', ...(told.group_type && { group: told.group_type }) },
    name: told.group_property.replace(/^grp:(?=.)/, ''),
    ...describedProperty(told, ['group_property', 'group_type']),
  }))
}

const TYPES: Readonly<Record<string, AroundRow<'properties'>['type']>> = {
  string: 'text',
  enum: 'text',
  number: 'number',
  boolean: 'boolean',
}

type Described = { readonly [Field in keyof typeof property]?: z.output<(typeof property)[Field]> }

function describedProperty(
  told: Described & Readonly<Record<string, unknown>>,
  said: readonly string[],
): Pick<AroundRow<'properties'>, 'type' | 'description' | 'hidden' | 'more'> {
  const { description, type, is_array_type: isList, is_hidden: isHidden } = told
  const known = type ? TYPES[type] : undefined
  // `any` says nothing, and an enum's values are in `more`. What its members are is not lost with a list.
  const typed = !type || type === 'any' || (known !== undefined && !isList) ? ['type'] : []
  const more = restOf(told, [...said, ...typed, 'description', 'is_array_type', 'is_hidden'])
  return given({ type: isList ? 'list' : known, description, hidden: isHidden, more })
}
