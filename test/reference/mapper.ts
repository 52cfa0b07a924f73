import type { MappedField, Mapping } from '../../src/mapping/mapping.ts'
import { pathSegments } from '../../src/mapping/member-path.ts'
import { Filtered, type Preset, type PresetOptions, Rejection } from '../../src/mapping/preset.ts'
import { Id } from '../../src/record/id.ts'
import { formatInstant, parseTime } from '../../src/record/time.ts'
import { type TimeReader, timeReader } from '../../src/record/time-format.ts'
import { canonicalUuid, isUuid, POSTHAUL_NAMESPACE, uuidV5 } from '../../src/record/uuid.ts'
import { childrenOf, listPreset } from './children.ts'
import { EventDraft, type GroupState } from './draft.ts'
import { asText, type Json, members, objectOf, opened, rewritten, whyNoRecord } from './json.ts'
import { PrivateValues } from './private-values.ts'
import { FOREIGN, fieldSlot, Rules } from './rules.ts'
import * as service from './service-rules.ts'
import { typed } from './types.ts'
import { NoNullsView, View } from './view.ts'

export interface ReferenceOptions {
  readonly switches: ReadonlySet<string>
  readonly importId: string | null
  readonly hashKey: string
  /** Microseconds. */
  readonly now: number
  readonly version: string
}

export interface ReferenceEvent {
  readonly line: Json
  readonly instant: number
  readonly ownId: boolean
  readonly givesWay: boolean
  readonly link: { readonly anonymous: string; readonly user: string } | undefined
  readonly groupStates: readonly GroupState[]
}

/** What becomes of one record, or of one of its children. */
export type Outcome =
  | { readonly event: ReferenceEvent }
  | { readonly rejected: string }
  /** `seen`: what the record shows all the same. */
  | { readonly filtered: string; readonly seen?: Pick<ReferenceEvent, 'link' | 'instant'> }

/** Identity events, and the property that holds the other id. */
const LINKED: Readonly<Record<string, string>> = {
  $identify: '$anon_distinct_id',
  $create_alias: 'alias',
  $merge_dangerously: 'alias',
}
const GROUP_EVENTS = ['$groupidentify', '$group_identify']

/** Maps one record, and keeps nothing of it. */
export class ReferenceMapper {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #options: ReferenceOptions
  readonly #presetOptions: PresetOptions
  readonly #fields: Mapping['fields']
  readonly #rules: Rules
  readonly #readTime: TimeReader
  readonly #private: PrivateValues | undefined
  /** True for the service's own events: null and '' are values there, and words are what the service takes them for. */
  readonly #isOwnForm: boolean
  readonly #empty: ReadonlySet<Json>
  /** Slots that hold ids of people. */
  readonly #ids: readonly string[]

  constructor(given: Preset, mapping: Mapping, options: ReferenceOptions) {
    const preset = listPreset(given, mapping)
    this.#preset = preset
    this.#mapping = mapping
    this.#options = options
    this.#fields = { ...preset.takes, ...mapping.fields }
    this.#rules = new Rules(preset, mapping, this.#fields)
    this.#readTime = timeReader(mapping.timeFormats, mapping.sourceTimezone)
    this.#private =
      mapping.hash.length > 0 ? new PrivateValues(mapping, preset.vendor, options.hashKey) : undefined
    this.#isOwnForm = preset.empty === undefined
    this.#empty = new Set(preset.empty && ['null', '""', ...preset.empty.map((word) => JSON.stringify(word))])
    const mapped = (['distinct_id', 'anonymous_id'] as const).flatMap((field) =>
      (this.#fields[field] ?? []).map((_, n) => fieldSlot(field, n)),
    )
    this.#ids = this.#isOwnForm ? [] : [...(preset.ids ?? []), ...mapped]
    this.#presetOptions = {
      sourceTimezone: mapping.sourceTimezone,
      groupType: mapping.groupType ?? preset.groupType ?? '',
      groupTypes: mapping.groupTypes ?? {},
      baseUrl: mapping.baseUrl,
      switches: options.switches,
    }
  }

  /** What a record becomes: an outcome, or one for each of its children. Changes for the service are counted in `mends`. */
  map(line: string, mends = service.noMends()): Outcome[] {
    const why = whyNoRecord(line)
    if (why !== undefined) return [{ rejected: why }]
    return childrenOf(line, this.#preset, mends).map((child) => {
      if ('reason' in child) return { rejected: child.reason }
      return 'filtered' in child ? child : this.#outcome(child.line, mends)
    })
  }

  #outcome(line: string, mends: service.Mends): Outcome {
    try {
      return this.#event(line, mends)
    } catch (error) {
      if (error instanceof Filtered) return { filtered: error.reason }
      if (error instanceof Rejection) return { rejected: error.reason }
      if (error instanceof RangeError && !/call stack/.test(error.message))
        return { rejected: 'timestamp_unparsable' }
      throw error
    }
  }

  #event(line: string, mends: service.Mends): Outcome {
    const [preset, mapping, options] = [this.#preset, this.#mapping, this.#presetOptions]
    const view = new View()
    const sound = (json: Json) =>
      service.mended(json.replace(/[\r\n]/g, ' '), mapping.bigIntegersAsStrings, mends)
    const draft = new EventDraft(this.#rules, view, preset.vendor, this.#empty, sound)
    this.#walk(draft, view, this.#read(line, mends), '', false)
    view.leaveOutNobody(this.#ids)

    for (const [path, values] of Object.entries(mapping.filter.where))
      if (!values.includes(view.text(fieldSlot(`where:${path}`)) ?? '')) throw new Filtered('not_where')
    const source = this.#field(view, 'event') ?? preset.eventName(view, options)
    if (source === undefined || source === '') throw new Rejection('event_missing', '')
    const named = this.#nameOf(source)
    let name = service.cleanName(named)
    let nuls = service.nulsIn(named)
    this.#assertNotDropped(source, name.text)

    const given = this.#sender(view)
    const clean = service.cleanId(given)
    if ('reason' in clean) throw new Rejection(clean.reason, '')
    const { id } = clean
    draft.id = Id.ofText(id)
    draft.instant = this.#instant(view)
    service.assertInstant(draft.instant, this.#options.now)

    draft.event = name.text
    preset.perform?.(view, draft, options)
    if (GROUP_EVENTS.includes(draft.event)) draft.event = '$groupidentify'
    if (draft.event !== name.text) {
      nuls += service.nulsIn(draft.event)
      name = service.cleanName(draft.event)
    }
    draft.event = name.text
    this.#assertWanted(source, draft)
    this.#assertGroup(draft)
    this.#cleanLinked(draft, mends)
    this.#addSession(view, draft)
    for (const type of Object.keys(mapping.groups))
      draft.group(type, view.first(fieldSlot(`group:${type}`)) ?? '')
    if (!this.#isOwnForm) draft.derive()
    const foreign = view.json(FOREIGN)
    if (foreign !== undefined) draft.foreignId(foreign)
    const link = this.#link(view, draft.id)
    let groupStates = this.#hide(draft, link)
    draft.finish(this.constants(), Object.entries(mapping.properties.set))
    const sent = (one: string) => this.#private?.id(one) ?? one
    const { instant, event } = draft
    const seen = { instant, link: link && { anonymous: sent(link.anonymous), user: sent(link.user) } }
    const setsNothing = !['$set', '$set_once'].some((one) => draft.into.property.has(one))
    if (event === '$set' && preset.events[source] === '$set' && setsNothing)
      return { filtered: 'nothing_to_set', seen }

    const ownId = this.#ownUuid(this.#isOwnForm ? view : new NoNullsView(view))
    const content = this.#isOwnForm ? line.replace(/("(?:[^"\\]|\\.)*")|[ \t\r\n]+/g, '$1') : line
    const uuid = ownId ?? uuidV5(POSTHAUL_NAMESPACE, content)
    let made = eventLine({ uuid, instant, event, id: sent(id), properties: draft.into.property })
    if (mapping.deepAsText) {
      made = service.shallow(made, mends)
      groupStates = groupStates.map((one) => ({ ...one, json: service.shallow(one.json, mends) }))
    }
    service.assertSize(made)
    if (name.cut) mends.event_name_cut++
    if (given.length > id.length) mends.id_trimmed++
    mends.lone_surrogate += nuls + service.nulsIn(given)
    const givesWay = preset.givesWay?.(view) ?? false
    return { event: { ...seen, line: made, ownId: ownId !== undefined, givesWay, groupStates } }
  }

  /** The record in the form that the rules are for: reshaped, its text opened, what the service refuses mended. */
  #read(line: string, mends: service.Mends): Json {
    const shaped = this.#preset.reshape ? this.#preset.reshape(line) : line
    const { huge_number, big_integer } = mends
    const sound = service.mended(shaped, this.#mapping.bigIntegersAsStrings, mends)
    const opened = this.#open(sound, '', false)
    const whole = Object.entries(this.#mapping.types ?? {}).reduce(
      (record, [path, target]) => typed(record, pathSegments(path), target!, this.#mapping),
      opened,
    )
    if (whole === sound) return sound
    const why = whyNoRecord(whole)
    if (why !== undefined) {
      // Numbers are mended in what is a record; half a surrogate pair, before a text is opened.
      Object.assign(mends, { huge_number, big_integer })
      throw new Rejection(why, '')
    }
    return service.mended(whole, this.#mapping.bigIntegersAsStrings, mends)
  }

  #open(json: Json, prefix: string, isSilent: boolean): Json {
    return rewritten(json, (value, name) => {
      const rule = this.#rules.of(prefix, name, isSilent)
      const inner = rule.opens && value[0] === '"' ? (opened(asText(value)) ?? value) : value
      return rule.below !== undefined && inner[0] === '{'
        ? this.#open(inner, rule.below, isSilent || rule.isWhole)
        : inner
    })
  }

  /** Takes each member to its places. Objects that rules look into come last, in the order of the table. */
  #walk(draft: EventDraft, view: View, json: Json, prefix: string, isSilent: boolean): void {
    const below = new Map<string, { path: string; value: Json; isWhole: boolean }>()
    for (const [name, value] of members(json)) {
      const rule = this.#rules.of(prefix, name, isSilent)
      const isObject = rule.below !== undefined && value[0] === '{'
      // Of two members with one name only the last is looked into.
      if (isObject) below.set(name, { path: rule.below!, value, isWhole: rule.isWhole })
      else below.delete(name)
      for (const slot of rule.slots) view.fill(slot, value, rule.rank)
      if (!isObject || rule.isWhole) for (const emit of rule.emits) draft.emit(emit, value)
    }
    const inOrder = [...below.values()].sort(
      (a, b) => this.#rules.placeOf(a.path) - this.#rules.placeOf(b.path),
    )
    for (const { path, value, isWhole } of inOrder) this.#walk(draft, view, value, path, isSilent || isWhole)
  }

  /** The first of a field's paths that holds a value. */
  #field(view: View, field: MappedField): string | undefined {
    const texts = (this.#fields[field] ?? []).map((_, n) => view.text(fieldSlot(field, n)))
    return texts.find((text) => text !== undefined)
  }

  /** An event's name in the service. */
  #nameOf(source: string): string {
    const { rename } = this.#mapping.events
    if (Object.hasOwn(rename, source)) return rename[source]!
    const name = Object.hasOwn(this.#preset.events, source) ? this.#preset.events[source]! : source
    return Object.hasOwn(rename, name) ? rename[name]! : name
  }

  #assertNotDropped(source: string, name: string): void {
    if ([source, name].some((one) => this.#mapping.events.drop.includes(one)))
      throw new Filtered('event_dropped')
  }

  #assertWanted(source: string, { event, instant }: EventDraft): void {
    const { filter, events } = this.#mapping
    if (filter.from !== undefined && instant < filter.from) throw new Filtered('before_from')
    if (filter.to !== undefined && instant >= filter.to) throw new Filtered('after_to')
    this.#assertNotDropped(source, event)
    if (events.keep && !events.keep.includes(source) && !events.keep.includes(event))
      throw new Filtered('event_not_kept')
  }

  /** The first id that stands for somebody; where there is none, a word that may be a tool's own. */
  #sender(view: View): string {
    const find = () => this.#field(view, 'distinct_id') ?? this.#preset.distinctId(view, this.#presetOptions)
    let found = find()
    if (found === undefined && view.putBackWords()) found = find()
    const id = textOf(found) ?? ''
    return !this.#isOwnForm && service.isNone(id) ? '' : id
  }

  #instant(view: View): number {
    const times = this.#isOwnForm ? view : new NoNullsView(view)
    if (!this.#mapping.joinsTime) {
      const text = this.#field(times, 'timestamp')
      return text === undefined ? this.#preset.timestamp(times, this.#presetOptions) : this.#readTime(text)
    }
    const [day, time] = [0, 1].map((n) => times.text(fieldSlot('timestamp', n))?.trim())
    if (day === undefined && time === undefined) return this.#preset.timestamp(times, this.#presetOptions)
    if (day === undefined || time === undefined) throw new Rejection('timestamp_missing', '')
    return this.#readTime(`${day} ${time}`)
  }

  #assertGroup(draft: EventDraft): void {
    if (draft.event !== '$groupidentify') return
    const key = draft.json('$group_key')
    if (!this.#isOwnForm && key !== undefined && service.isNoGroup(asText(key)))
      throw new Rejection('group_key_missing', '')
    service.groupSet(draft.json('$group_set') ?? '{}')
  }

  /** An identity event joins two ids of somebody: the other one is cleaned as events' own are. */
  #cleanLinked(draft: EventDraft, mends: service.Mends): void {
    const name = LINKED[draft.event]
    if (name === undefined) return
    if (service.isNobody(draft.distinctId)) throw new Rejection('identity_of_nobody', '')
    const json = draft.into.property.get(name)
    if (json === undefined || json === 'null') return
    if (/^[[{tf]/.test(json)) throw new Rejection('linked_id_not_text', '')
    const given = asText(json)
    const id = service.sayableId(given)
    // One that is blank or too long links nobody: it stays.
    if (id === undefined) return
    if (service.isNobody(id) && !(this.#isOwnForm && service.isNeverJoined(id)))
      throw new Rejection('identity_of_nobody', '')
    if (id.length < given.length) mends.id_trimmed++
    mends.lone_surrogate += service.nulsIn(given)
    if (id !== given || json[0] !== '"') draft.put('property', name, JSON.stringify(id))
  }

  #addSession(view: View, draft: EventDraft): void {
    const said = new NoNullsView(view)
    const id = this.#field(said, 'session_id')
    if (id === undefined) return
    const text = this.#field(said, 'session_start')
    const owner = this.#field(view, 'anonymous_id') ?? draft.id
    try {
      const start =
        text === undefined ? undefined : Math.floor(parseTime(text, this.#mapping.sourceTimezone) / 1000)
      draft.session({ id, owner, start })
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
    }
  }

  #link(view: View, id: Id): ReferenceEvent['link'] {
    const anonymous = service.sayableId(
      textOf(this.#field(view, 'anonymous_id') ?? this.#preset.anonymousId(view, id)),
    )
    if (anonymous === undefined) return undefined
    const user = anonymous === id.text ? service.sayableId(textOf(this.#preset.userId?.(view))) : id.text
    if (user === undefined || user === anonymous || service.isNobody(anonymous) || service.isNobody(user))
      return undefined
    return { anonymous, user }
  }

  /** Hashes what is private in an event; returns the states of groups with theirs hashed. */
  #hide({ id, event, into, states }: EventDraft, link: ReferenceEvent['link']): readonly GroupState[] {
    const hashes = this.#private
    if (!hashes) return states
    const ids = [id.text, ...(link ? [link.anonymous, link.user] : [])]
    const linked = LINKED[event]
    for (const [name, json] of into.property)
      into.property.set(name, hashes.hiddenInside(name, json, ids, linked))
    for (const person of [into.set, into.once])
      for (const [name, json] of person) person.set(name, hashes.hidden(name, json, ids, linked))
    return states.map((state) => ({ ...state, json: hashes.hiddenObject(state.json, ids, linked) }))
  }

  /** The record's own uuid, or one made of its own id; undefined where it has none. */
  #ownUuid(view: View): string | undefined {
    const { uuid: rule, vendor } = this.#preset
    if (this.#fields.uuid?.length === 0) return undefined
    const mapped = this.#field(view, 'uuid')
    if (mapped !== undefined)
      return canonicalUuid(mapped) ?? uuidV5(POSTHAUL_NAMESPACE, JSON.stringify([vendor, mapped]))
    if (typeof rule === 'function') return rule(view, this.#presetOptions)
    const text = view.text(rule.slot)
    const own =
      text === undefined
        ? undefined
        : rule.namespace
          ? uuidV5(rule.namespace, text)
          : isUuid(text)
            ? text
            : undefined
    return own ?? rule.otherwise?.(view, this.#presetOptions)
  }

  /** What every event gets unless it has it. */
  constants(): [name: string, json: Json][] {
    const { importId, version } = this.#options
    return [
      ['$geoip_disable', 'true'],
      ...(importId === null ? [] : ([['$import_job_id', JSON.stringify(importId)]] as [string, Json][])),
      ['$lib', '"posthaul"'],
      ['$lib_version', JSON.stringify(version)],
      ['analytics_source', JSON.stringify(this.#preset.vendor)],
    ]
  }
}

function textOf(id: Id | string | undefined): string | undefined {
  return typeof id === 'object' ? id.text : id
}

interface LineParts {
  readonly uuid: string
  readonly instant: number
  readonly event: string
  readonly id: string
  readonly properties: Iterable<readonly [name: string, json: Json]>
}

/** An event line. */
export function eventLine({ uuid, instant, event, id, properties }: LineParts): Json {
  const sender = JSON.stringify(id)
  return objectOf([
    ['uuid', `"${uuid}"`],
    ['timestamp', `"${formatInstant(instant)}"`],
    ['event', JSON.stringify(event)],
    ['distinct_id', sender],
    ['properties', objectOf([['distinct_id', sender], ...properties])],
  ])
}
