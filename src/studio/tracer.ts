import { remedyOf } from '../checks/words/rejects.ts'
import { type Constant, constantsOf, ON_EVERY } from '../mapping/constant-properties.ts'
import type { Link, MappedEvent } from '../mapping/mapped.ts'
import { HOLDERS, propertyPlaces } from '../mapping/record-tracer.ts'
import type { Engine } from '../pipeline/engine.ts'
import { type ItemOutcome, type RecordItem, RecordLoop } from '../pipeline/loop.ts'
import { members as cutMembers } from '../record/json-values.ts'
import { keys } from '../record/keys.ts'
import { textIn } from '../record/text.ts'
import { formatInstant } from '../record/time.ts'
import { canonicalUuid } from '../record/uuid.ts'
import type { EventTrace, MemberTrace, PartTrace, PlaceTrace, Trace } from './trace.ts'

/** Tells what becomes of records one by one, member by member. Not for the hot path, see `Mapper.trace`. */
export class Tracer {
  readonly #engine: Engine
  readonly #constants: readonly Constant[]

  constructor(engine: Engine) {
    this.#engine = engine
    this.#constants = constantsOf({ vendor: engine.preset.vendor, ...engine.options })
  }

  /** What the engine has counted so far is dropped. */
  trace(record: Buffer): Trace {
    const parts: PartTrace[] = []
    let whole: Trace['whole'] = null
    const loop = new RecordLoop(this.#engine, {
      take: (outcome, item) => {
        const isPart = item.isMapped || item.child !== undefined
        if (isPart) parts.push(this.#part(outcome, item))
        else if (outcome.status !== 'event') whole = { outcome: outcome.status, ...whyOf(outcome) }
      },
    })
    this.#engine.takeCounts()
    loop.give(record)
    this.#engine.takeCounts()
    return { record: record.toString('utf8'), parts, whole }
  }

  #part(outcome: ItemOutcome, { child, source, isMapped }: RecordItem): PartTrace {
    const { mapper } = this.#engine
    // Read before the trace: line, ids and groups are good until the record's draft is made again.
    const made = outcome.status === 'event' ? madeOf(outcome) : undefined
    const link = outcome.status === 'rejected' ? null : linkTrace(outcome.link)
    const distinct_id = outcome.distinctId ?? null
    const traced = isMapped ? mapper.trace(outcome) : { members: [], notes: mapper.takeNotes() }
    const { mends, unusable, big_integers, duplicate_keys } = traced.notes
    const members = traced.members.map(
      ({ path, value, ...member }): MemberTrace => ({ path, value, cell: null, ...member }),
    )
    return {
      child: child ?? null,
      outcome: outcome.status,
      ...whyOf(outcome),
      source_event: source ?? null,
      distinct_id,
      link,
      members,
      event: made ? this.#event(made, members) : null,
      mends: Object.fromEntries(Object.entries(mends).filter(([, count]) => count > 0)),
      unusable: Object.keys(unusable),
      big_integers: Object.keys(big_integers),
      duplicate_keys,
    }
  }

  #event(
    { line, instant, ownId, group_states, gives_way }: ReturnType<typeof madeOf>,
    members: readonly MemberTrace[],
  ): EventTrace {
    const top = new Map(cutMembers(line))
    const properties = new Map(cutMembers(top.get('properties')!))
    const uuid = textIn(top.get('uuid')!)
    return {
      line,
      uuid,
      ...uuidSource(uuid, ownId, members),
      twin: 0,
      event: textIn(top.get('event')!),
      timestamp: formatInstant(instant),
      groups: cutMembers(properties.get('$groups') ?? '{}').map(([type, json]) => ({
        type,
        key: textIn(json),
      })),
      group_states,
      gives_way,
      places: this.#places(line, members),
    }
  }

  /** The places of an event, each with the members that it is from, or with who added it. */
  #places(line: string, members: readonly MemberTrace[]): PlaceTrace[] {
    const { preset, mapping } = this.#engine
    const sources = new Map<string, string[]>()
    for (const { path, to } of members)
      for (const place of to) sources.set(place, [...(sources.get(place) ?? []), path])
    // It repeats the id at the top.
    const own = sources.get('distinct_id')
    if (own !== undefined) sources.set('properties.distinct_id', own)

    const originOf = (place: string, value: string): string => {
      const name = place.replace(/^properties\./, '')
      if (Object.hasOwn(mapping.properties.set, name)) return `mapping file: properties.set.${name}`
      const constant = this.#constants.find(({ key }) => keys.text(key) === name)
      if (constant?.json.toString() === value) return ON_EVERY
      return place === 'uuid' ? 'posthaul, from the whole record' : `preset ${preset.vendor}`
    }
    const places = cutMembers(line).flatMap((member) =>
      member[0] === 'properties' ? propertyPlaces(member[1]) : [member],
    )
    return places.map(([place, value]) => {
      const from = [...new Set([...(sources.get(place) ?? []), ...sourcesOf(place, sources)])]
      return { place, value, from, origin: from.length > 0 ? null : originOf(place, value) }
    })
  }
}

function madeOf({ text: line, instant, ownId, groupStates, givesWay: gives_way }: MappedEvent) {
  const group_states = groupStates.map(({ type, key, json }) => ({ type, key, json }))
  return { line, instant, ownId, group_states, gives_way }
}

/** Why a record is no event. */
function whyOf(outcome: ItemOutcome): Pick<PartTrace, 'reason' | 'message' | 'remedy'> {
  if (outcome.status === 'event') return { reason: null, message: null, remedy: null }
  if (outcome.status === 'filtered') return { reason: outcome.reason, message: null, remedy: null }
  const { reason, message } = outcome
  return { reason, message, remedy: remedyOf(reason) }
}

function linkTrace(link: Link | undefined): PartTrace['link'] {
  return link ? { anonymous_id: link.anonymous.text, user_id: link.user.text } : null
}

function uuidSource(
  uuid: string,
  ownId: boolean,
  members: readonly MemberTrace[],
): Pick<EventTrace, 'uuid_from' | 'uuid_members'> {
  if (!ownId) return { uuid_from: 'content', uuid_members: [] }
  const used = members.filter(({ to }) => to.includes('uuid'))
  const isOwn = used.some(({ value }) => canonicalUuid(textIn(value)) === uuid)
  return { uuid_from: isOwn ? 'uuid' : 'id', uuid_members: used.map(({ path }) => path) }
}

/** Members that make one of an object's members, where it is not known which. */
function sourcesOf(place: string, sources: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const holder = HOLDERS.find((name) => place.startsWith(`properties.${name}.`))
  return (holder === undefined ? undefined : sources.get(`properties.${holder}`)) ?? []
}
