import type { IdDraft } from '../../src/mapping/preset.ts'
import type { OwnedSession } from '../../src/mapping/session.ts'
import { Id } from '../../src/record/id.ts'
import { isUuidV7, uuidV7 } from '../../src/record/uuid.ts'
import { codeOfCountry, nameOfCountry } from './countries.ts'
import { asText, type Json, members, objectOf } from './json.ts'
import type { Emit, Into, Rules } from './rules.ts'
import { groupSet, isNoGroup, sayableId } from './service-rules.ts'
import type { View } from './view.ts'

/** The properties of a group as one event states them. */
export interface GroupState {
  readonly type: string
  readonly key: string
  readonly json: Json
}

/** The event under construction. Members of the maps stand in the order in which they were first put. */
export class EventDraft implements IdDraft {
  event = ''
  id = Id.ofText('')
  /** Microseconds. */
  instant = 0
  readonly parts = { note() {} }
  readonly into: Record<Into, Map<string, Json>> = { property: new Map(), set: new Map(), once: new Map() }
  readonly groups = new Map<string, string>()
  readonly states: GroupState[] = []
  readonly #ranks = new Map<string, Emit>()
  readonly #rules: Rules
  readonly #view: View
  readonly #vendor: string
  /** Values that are left out. */
  readonly #empty: ReadonlySet<Json>
  readonly #mended: (json: Json) => Json

  constructor(
    rules: Rules,
    view: View,
    vendor: string,
    empty: ReadonlySet<Json>,
    mended: (json: Json) => Json,
  ) {
    this.#rules = rules
    this.#view = view
    this.#vendor = vendor
    this.#empty = empty
    this.#mended = mended
  }

  get distinctId(): string {
    return this.id.text
  }

  /** Puts a value where a rule of the table sends it. One that loses its own name is kept under another. */
  emit(emit: Emit, json: Json): void {
    if (this.#empty.has(json)) return
    const { into, name, rank } = emit
    const place = `${into} ${name}`
    const [held, before] = [this.into[into].get(name), this.#ranks.get(place)]
    const wins = before === undefined || rank <= before.rank
    if (wins) {
      this.into[into].set(name, json)
      this.#ranks.set(place, emit)
    }
    if (before === undefined || before.rank === rank || into !== 'property') return
    const [lost, loser] = wins ? [held!, before] : [json, emit]
    if (loser.isOwnName && lost !== this.into.property.get(name)) this.#keep(name, lost)
  }

  put(into: Into, name: string, json: Json): void {
    if (this.#empty.has(json)) return
    this.into[into].set(name, this.#mended(json))
    this.#ranks.set(`${into} ${name}`, { into, name, rank: 0, isOwnName: false })
  }

  has(property: string): boolean {
    return this.json(property) !== undefined
  }

  json(property: string): Json | undefined {
    const final = this.#rules.final(property)
    return final === undefined ? undefined : this.into.property.get(final)
  }

  property(name: string, json: Json): void {
    const final = this.#rules.final(name)
    if (final === 'distinct_id') this.foreignId(json)
    else if (final !== undefined) this.put('property', final, json)
  }

  /** Keeps an id that is another than the event's own. */
  foreignId(json: Json): void {
    if (sayableId(asText(json)) !== this.distinctId) this.#keep('distinct_id', json)
  }

  text(name: string, value: string | undefined): void {
    if (value === undefined) return
    this.property(name, JSON.stringify(value))
  }

  copy(name: string, slot: string): void {
    const json = this.#view.json(slot)
    if (json !== undefined && !this.#empty.has(json)) this.property(name, json)
  }

  set(name: string, json: Json): void {
    const into = this.#rules.scope('set')
    if (into !== undefined) this.put(into, name, json)
  }

  setOnce(name: string, json: Json): void {
    const into = this.#rules.scope('once')
    if (into !== undefined) this.put(into, name, json)
  }

  describePerson(): void {
    const into = this.#rules.scope('set')
    if (into !== undefined) for (const [name, json] of this.into.property) this.into[into].set(name, json)
    this.into.property.clear()
  }

  session(session: OwnedSession): void {
    const id = sessionId(this.#vendor, session, this.instant)
    if (id !== undefined) this.text('$session_id', id)
  }

  group(type: string, key: string): void {
    if (key !== '' && !isNoGroup(key) && !this.groups.has(type)) this.groups.set(type, key)
  }

  groupProperties(type: string, key: string, json: Json): void {
    if (!isNoGroup(key)) this.states.push({ type, key, json: this.#mended(groupSet(json)) })
  }

  leaveOut(): void {}

  unusable(): void {}

  /** Adds what other properties tell: parts of addresses, the other half of a country. What is there stays. */
  derive(): void {
    const { property, set, once } = this.into
    const tell = (name: string, value: string | null | undefined) => {
      if (value && !property.has(name) && !this.has(name)) this.text(name, value)
    }
    const url = addressIn(property.get('$current_url'))
    if (url) {
      tell('$host', url.host)
      tell('$pathname', url.path || '/')
      const query = new URLSearchParams(url.search.includes('utm_') ? url.search : '')
      for (const name of ['source', 'medium', 'campaign', 'term', 'content'])
        if (!this.has(`utm_${name}`) && query.get(`utm_${name}`))
          this.text(`utm_${name}`, query.get(`utm_${name}`)!)
    }
    const referrer = property.get('$referrer')
    tell('$referring_domain', textOf(referrer) === '$direct' ? '$direct' : addressIn(referrer)?.host)
    const [code, name] = ['$geoip_country_code', '$geoip_country_name']
    const hadName = property.has(name)
    tellCountry(property, (half, value) => this.has(half) || this.text(half, value))
    const written = textOf(property.get(code))
    if (!hadName && written !== undefined && nameOfCountry(written) && written !== written.toUpperCase())
      this.text(code, written.toUpperCase())
    for (const person of [set, once])
      tellCountry(person, (half, value) => person.set(half, JSON.stringify(value)))
  }

  /** Moves groups and person properties into the properties, and adds the constants and what the user sets. */
  finish(constants: readonly (readonly [string, Json])[], fixed: readonly (readonly [string, Json])[]): void {
    const { property, set, once } = this.into
    if (this.groups.size > 0) {
      const own = new Map(members(property.get('$groups') ?? '{}'))
      const found = [...this.groups]
        .filter(([type]) => !own.has(type))
        .map(([type, key]) => [type, JSON.stringify(key)] as const)
      property.set('$groups', objectOf([...own, ...found]))
    }
    for (const [into, name, person] of [
      ['set', '$set', set],
      ['once', '$set_once', once],
    ] as const) {
      if (person.size === 0) continue
      // What the record's own $set says wins over the table.
      for (const [key, json] of members(property.get(name) ?? '{}')) this.put(into, key, json)
      property.set(name, objectOf(person))
    }
    const isOfLibrary = property.has('$lib')
    for (const [name, json] of constants)
      if (!property.has(name) && !(isOfLibrary && name === '$lib_version')) property.set(name, json)
    for (const [name, json] of fixed) this.put('property', name, json)
  }

  /** Keeps a value whose name another value has. */
  #keep(name: string, json: Json): void {
    const other = `$${this.#vendor}_${name.replace(/^\$/, '')}`
    // The mapping file may rename it to what is the event's own id.
    if (this.#rules.final(other) === 'distinct_id') this.put('property', other, json)
    else this.property(other, json)
  }
}

function textOf(json: Json | undefined): string | undefined {
  return json?.[0] === '"' ? asText(json) : undefined
}

function addressIn(json: Json | undefined) {
  const found = /^[a-z][a-z0-9+.-]*:\/\/(?:[^@/?#]*@)?([^/?#]*)([^?#]*)([^#]*)/i.exec(textOf(json) ?? '')
  return found ? { host: found[1]!.toLowerCase(), path: found[2]!, search: found[3]! } : undefined
}

/** Tells the code of a country by its name, or its name by its code. */
function tellCountry(
  properties: ReadonlyMap<string, Json>,
  put: (name: string, value: string) => void,
): void {
  const [codeName, nameName] = ['$geoip_country_code', '$geoip_country_name']
  const [code, name] = [properties.get(codeName), properties.get(nameName)]
  if ((code === undefined) === (name === undefined)) return
  const text = textOf(code ?? name)
  const told = text === undefined ? undefined : code ? nameOfCountry(text) : codeOfCountry(text)
  if (told !== undefined) put(code ? nameName : codeName, told)
}

const DAY = 86_400_000

/** A UUID of version 7 that began less than a day before the event; undefined where nothing tells when the session began. */
function sessionId(vendor: string, { id, owner, start }: OwnedSession, instant: number): string | undefined {
  if (isUuidV7(id)) return id.toLowerCase()
  // Many an id is the time at which its session began, in seconds or in milliseconds.
  const began =
    start ?? (/^\d{9,10}$/.test(id) ? Number(id) * 1000 : /^\d{12,13}$/.test(id) ? Number(id) : undefined)
  if (began === undefined) return undefined
  const since = Math.floor(instant / 1000) - began
  if (since < 0) return undefined
  const name = Buffer.from(
    JSON.stringify(['session', vendor, typeof owner === 'string' ? owner : owner.text, id]),
  )
  return uuidV7(began + Math.floor(since / DAY) * DAY, name, 0, name.length)
}
