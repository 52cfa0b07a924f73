import { ByteWriter } from '../record/byte-writer.ts'
import { Id } from '../record/id.ts'
import { members as cutMembers } from '../record/json-values.ts'
import { type Key, keyOf, keys } from '../record/keys.ts'
import { Members } from '../record/members.ts'
import { mend } from '../record/mend.ts'
import { isNoGroup } from '../record/nobody.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { cleanDistinctId } from '../record/rules.ts'
import { FLAG } from '../record/tape.ts'
import { textIn } from '../record/text.ts'
import { FinalNames, FOREIGN_ID, personScope } from './compile.ts'
import { type Constant, hasAny } from './constant-properties.ts'
import type { EmptyValues } from './empty-values.ts'
import { type HASHED, type Into, KEPT, LEFT_OUT, type MENDED, renamedFate, sentFate } from './fates.ts'
import { type GroupState, groupSet, joinGroups } from './joined-groups.ts'
import type { Mapping } from './mapping.ts'
import type { MapperParts, MemberCounts } from './member-counts.ts'
import { MemberParts } from './member-parts.ts'
import type { IdDraft } from './preset.ts'
import { Scratch, type Spelling } from './scratch.ts'
import { type OwnedSession, sessionId } from './session.ts'
import { type Reads, type SlotView, USE } from './slot-view.ts'

const LIB = keyOf('$lib')
const GROUPS = keyOf('$groups')
const SET = keyOf('$set')
const SET_ONCE = keyOf('$set_once')
const NOBODY = Id.ofText('')

/** What a value made of text may have to be mended for: half a surrogate pair, line breaks, numbers of many digits. */
const SUSPECT = /\\u[dD]|[\r\n]|^(?!").*?(?:[\d.]{16}|\d[eE][+-]?\d\d)/s

/** Few records have any: a list is made for those. */
const NO_STATES: GroupState[] = []

/** The event under construction: what the tables emitted, and what the preset's functions add. */
export class EventDraft implements IdDraft {
  event = ''
  id = NOBODY
  /** Microseconds since the epoch. */
  instant = Number.NaN
  /** True when `finish` made `$groups`, of `groupTypes`; the record may have its own. */
  madeGroups = false
  groupStates: GroupState[] = NO_STATES
  #groups: Map<string, string> | undefined = undefined
  readonly properties = new Members()
  readonly toSet = new Members()
  readonly toSetOnce = new Members()
  readonly parts: MemberParts
  readonly #mapping: Mapping
  readonly #view: SlotView
  readonly #reads: Reads
  readonly #emptyValues: EmptyValues
  readonly #vendor: string
  readonly #notes: Notes
  readonly #counts: MemberCounts
  /** Values that are left out, as JSON text. */
  readonly #empty: ReadonlySet<string>
  readonly #scratch = new Scratch()
  readonly #setText = new ByteWriter(1024)
  readonly #setOnceText = new ByteWriter(1024)
  readonly #finals: FinalNames
  /** What the mapping file sets on every event. */
  readonly #fixed: ReadonlyArray<readonly [name: string, json: string]>

  constructor(parts: MapperParts) {
    const { preset, mapping } = parts
    this.#mapping = mapping
    this.#notes = parts.notes
    this.#counts = parts.counts
    this.#view = parts.view
    this.#reads = parts.reads
    this.#emptyValues = parts.emptyValues
    this.#finals = new FinalNames(mapping)
    this.#vendor = preset.vendor
    this.#fixed = Object.entries(mapping.properties.set)
    this.#empty = new Set(
      preset.empty && ['null', ...['', ...preset.empty].map((text) => JSON.stringify(text))],
    )
    this.parts = new MemberParts(parts, this.#finals, this.#empty)
  }

  get distinctId(): string {
    return this.id.text
  }

  membersOf(into: Into): Members {
    return into === 'property' ? this.properties : into === 'set' ? this.toSet : this.toSetOnce
  }

  /** Begins a record. Members know by their own stamps which values are of it. */
  begin(): void {
    this.event = ''
    this.id = NOBODY
    this.instant = Number.NaN
    this.madeGroups = false
    this.groupStates = NO_STATES
    this.#groups = undefined
    this.properties.clear()
    this.toSet.clear()
    this.toSetOnce.clear()
    this.#scratch.clear()
    this.parts.begin()
  }

  get propertiesText(): string {
    const text = new ByteWriter()
    this.properties.writeObject(text)
    return text.bytes.toString('utf8', 0, text.length)
  }

  has(property: string): boolean {
    const final = this.#finals.of(property)
    return final !== null && this.properties.has(final.key)
  }

  /** A property's final name, for `spelled`. Undefined for one that the user drops or makes the distinct_id. */
  finalKey(property: string): Key | undefined {
    const final = this.#finals.of(property)
    return final === null || final.name === 'distinct_id' ? undefined : keyOf(final.name)
  }

  /** Adds a property that is not there yet. Its final name is at hand, and its value is spelled out. */
  spelled(final: Key, { bytes, start, end }: Spelling): void {
    if (!this.#emptyValues.isWord(bytes, start, end)) this.properties.put(final, bytes, start, end)
  }

  /** The same of text at [start, end) that JSON spells as it is. */
  plain(final: Key, bytes: Buffer, start: number, end: number): void {
    this.#scratch.quoted(bytes, start, end)
    if (!this.#emptyValues.isMade(this.#scratch)) this.#scratch.putInto(this.properties, final)
  }

  json(property: string): string | undefined {
    const final = this.#finals.of(property)
    return final === null ? undefined : this.properties.json(final.key)
  }

  property(name: string, json: string, elsewhere?: string): void {
    const final = this.#finals.of(name)
    const fate = elsewhere === undefined ? undefined : renamedFate(elsewhere)
    if (final?.name === 'distinct_id') this.#foreignId(json)
    else if (final !== null) this.#put('property', final.key, json, fate)
  }

  /** Writes a value anew: mended for the service, or hashed. `fate` says which. */
  rewrite(into: Into, name: string, json: string, fate: typeof MENDED | typeof HASHED): void {
    this.#put(into, keys.ofText(name), json, fate)
  }

  /**
   * Adds a property under `$<vendor>_<name>`, for a value whose own name another value has. Returns its final name;
   * undefined when the user drops it.
   */
  vendorProperty(name: string, json: string): string | undefined {
    const other = `$${this.#vendor}_${name.replace(/^\$/, '')}`
    const final = this.#finals.of(other)?.name
    // A mapping file may give it the name that it can't have.
    if (final !== 'distinct_id') this.property(other, json)
    else this.#put('property', keys.ofText(other), json)
    return final === 'distinct_id' ? other : final
  }

  /** Keeps the value of a record's property `distinct_id` where it is another than the event's own. */
  keepForeignId(): void {
    const json = this.#reads.distinctId.json(FOREIGN_ID)
    if (json === undefined) return
    const name = this.#foreignId(json)
    if (name !== undefined) this.#copied(FOREIGN_ID, name)
  }

  text(name: string, value: string | undefined): void {
    if (value === undefined) return
    const final = this.#finals.of(name)
    if (final === null || final.name === 'distinct_id' || !this.#scratch.plainText(value)) {
      this.property(name, JSON.stringify(value))
    } else if (!this.#emptyValues.isMade(this.#scratch)) {
      const { key } = final
      if (this.properties.has(key) && this.properties.text(key) !== value) this.#counts.lose('property', key)
      this.#scratch.putInto(this.properties, key)
    }
  }

  copy(name: string, slot: string, elsewhere?: string): void {
    const { tape, bytes } = this.#view
    const at = this.#view.slot(slot)?.at
    if (at === undefined) return
    const final = this.#finals.of(name)
    if (this.#emptyValues.is(bytes, at)) this.#view.usedSlotAs(slot, USE.empty)
    else if (final?.name === 'distinct_id') this.#foreignId(this.#reads.properties.json(slot)!)
    else if (final !== null) {
      const { key } = final
      if (this.properties.has(key) && this.properties.json(key) !== this.#reads.properties.json(slot))
        this.#counts.lose('property', key, elsewhere === undefined ? undefined : renamedFate(elsewhere))
      this.properties.put(key, bytes, tape.start(at), tape.end(at))
      this.#copied(slot, final.name)
    }
  }

  set(name: string, json: string): void {
    this.#view.usedAs(USE.person)
    const scope = personScope('set', this.#mapping)
    if (scope !== undefined) this.#put(scope, keys.ofText(name), json)
  }

  setOnce(name: string, json: string): void {
    this.#view.usedAs(USE.personOnce)
    if (personScope('once', this.#mapping) !== undefined) this.#put('once', keys.ofText(name), json)
  }

  /** Moves all properties to the person; nowhere, which is counted, when the user drops what is told of persons. */
  describePerson(): void {
    const scope = personScope('set', this.#mapping)
    const person = scope === 'set' ? this.toSet : this.toSetOnce
    this.properties.visit((key, source, start, end) => {
      const fate = scope === undefined ? LEFT_OUT.person : sentFate(scope, keys.text(key), false)
      this.#counts.lose('property', key, fate)
      if (scope !== undefined) person.put(key, source, start, end)
    })
    this.properties.clear()
  }

  session(session: OwnedSession): void {
    const made = sessionId(this.#vendor, session, this.instant)
    if ('uuid' in made) this.text('$session_id', made.uuid)
    else this.unusable(made.unusable)
  }

  group(type: string, key: string): void {
    this.#view.usedAs(USE.groups)
    if (isNoGroup(key)) this.unusable(`a key of a group of type ${type} is a word for none`)
    else if (key !== '') {
      this.#groups ??= new Map()
      if (!this.#groups.has(type)) this.#groups.set(type, key)
    }
  }

  /** The types of the groups that the event was made a member of. */
  get groupTypes(): Iterable<string> {
    return this.#groups?.keys() ?? []
  }

  groupProperties(type: string, key: string, json: string): void {
    if (isNoGroup(key)) return
    if (this.groupStates === NO_STATES) this.groupStates = []
    this.groupStates.push({ type, key, json: this.#mended(groupSet(json)) })
  }

  leaveOut(member: string): void {
    countOne(this.#notes.ignored_members, member)
  }

  unusable(what: string): void {
    countOne(this.#notes.unusable, `preset ${this.#vendor}: ${what}`)
  }

  /**
   * Moves groups, person properties and what the user sets into the properties; the last step of a draft. Returns false
   * when none of the constants is in yet: the caller appends all of them, faster, as most events need.
   */
  finish(constants: readonly Constant[]): boolean {
    const groups = this.#groups
    this.madeGroups = groups !== undefined && !this.properties.has(GROUPS)
    // The record's own groups are kept among them.
    if (groups !== undefined) {
      const lost = (type: string) =>
        this.unusable(`$groups of the record names another group of type ${type}`)
      this.#put('property', GROUPS, joinGroups(this.properties.json(GROUPS), groups, lost), KEPT)
    }
    if (this.toSet.count > 0) this.#person('set', SET, this.#setText)
    if (this.toSetOnce.count > 0) this.#person('once', SET_ONCE, this.#setOnceText)
    if (this.#fixed.length === 0 && !hasAny(this.properties, constants)) return false
    // Our version would be wrong beside another library's name.
    const named = this.properties.has(LIB)
    for (const { key, json, ofLibrary } of constants) {
      if ((named && ofLibrary) || this.properties.has(key)) continue
      this.properties.put(key, json, 0, json.length)
    }
    for (const [name, json] of this.#fixed) {
      if (name === 'distinct_id') this.#foreignId(json)
      else this.#put('property', keys.ofText(name), json, LEFT_OUT.replaced)
    }
    return true
  }

  /** True when the finished event changes nothing of its person. */
  get setsNothing(): boolean {
    return !this.properties.has(SET) && !this.properties.has(SET_ONCE)
  }

  #person(into: Into, key: Key, writer: ByteWriter): void {
    const existing = this.properties.json(key)
    // The record's own $set wins over the tables for a property that both set.
    for (const [property, json] of existing === undefined ? [] : cutMembers(existing)) {
      this.#put(into, keys.ofText(property), json)
    }
    writer.length = 0
    this.membersOf(into).writeObject(writer)
    this.properties.put(key, writer.bytes, 0, writer.length)
  }

  /** Keeps an id that differs from the event's own under another name, which it returns. */
  #foreignId(json: string): string | undefined {
    const id = textIn(json)
    return cleanDistinctId(id) === this.distinctId ? undefined : this.vendorProperty('distinct_id', json)
  }

  /** What a preset makes of text, such as a number, was no value when the record was mended. */
  #mended(json: string): string {
    if (!SUSPECT.test(json)) return json
    this.#view.tape.flags |= FLAG.bigInteger
    const bytes = Buffer.from(json.replace(/[\r\n]/g, ' '))
    const bigIntegers = this.#mapping.bigIntegersAsStrings
    const { mends } = this.#notes
    const before = mends.huge_number
    const mended = mend(bytes, 0, bytes.length, { bigIntegers, mends }).toString()
    // One that the record has as a number is text since the record was mended, and counted.
    if (this.#view.tape.flags & FLAG.hugeNumber) mends.huge_number = before
    return mended
  }

  #put(into: Into, key: Key, given: string, reason?: string): void {
    if (this.#empty.has(given)) return
    const json = this.#mended(given)
    this.#scratch.json(json)
    const members = this.membersOf(into)
    if (members.has(key) && members.json(key) !== json) this.#counts.lose(into, key, reason)
    this.#scratch.putInto(members, key)
  }

  #copied(slot: string, name: string): void {
    const used = this.#view.usedSlotAs(slot, USE.copied)
    if (used !== undefined) this.#counts.copied(used, name)
  }
}
