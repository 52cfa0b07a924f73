import { compile } from '../mapping/compile.ts'
import { type Constant, constantsOf } from '../mapping/constant-properties.ts'
import { Exploder } from '../mapping/explode.ts'
import type { Link } from '../mapping/link.ts'
import type { Mapped, MappedEvent, MapperOptions } from '../mapping/mapped.ts'
import { Mapper } from '../mapping/mapper.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { NotedPart } from '../mapping/member-parts.ts'
import type { Preset } from '../mapping/preset.ts'
import { RecordReader } from '../mapping/record-reader.ts'
import { members as cutMembers } from '../record/cut.ts'
import { emptyNotes, type Notes } from '../record/notes.ts'
import { Tape } from '../record/tape.ts'
import { textIn } from '../record/text.ts'
import { formatInstant } from '../record/time.ts'
import { canonicalUuid } from '../record/uuid.ts'
import { MIB } from '../text/units.ts'
import { eventPlaces, placesIn } from './event-places.ts'
import { fatesOf } from './member-fates.ts'
import { isUntold, placesOf } from './member-places.ts'
import { MemberRules } from './member-rules.ts'
import { membersOf, type RecordMember } from './record-members.ts'
import type { EventTrace, LinkTrace, MemberTrace, PartTrace, Trace, TraceNotes, UuidSource } from './trace.ts'

/** Bytes that are mapped at most, in all, to find out what was made of a record's members. */
const MOST_EXPERIMENTS = 64 * MIB

/** A record, and the same with the rows that were joined to it. */
interface Line {
  readonly bytes: Buffer
  readonly own: Buffer | undefined
}

/**
 * Tells what becomes of records one by one, member by member. Pure, as the mapper is; not for the hot path: it maps a record
 * several times. Reusable, not reentrant.
 */
export class Tracer {
  readonly #preset: Preset
  readonly #mapping: Mapping
  readonly #mapper: Mapper
  readonly #rules: MemberRules
  readonly #constants: readonly Constant[]
  readonly #tape = new Tape()
  readonly #root: ReturnType<typeof compile>['root']
  readonly #reader: RecordReader
  readonly #exploder: Exploder | undefined

  constructor(preset: Preset, mapping: Mapping, options: MapperOptions) {
    this.#preset = preset
    this.#mapping = mapping
    this.#mapper = new Mapper(preset, mapping, options)
    this.#rules = new MemberRules(preset, mapping)
    this.#constants = constantsOf({ vendor: preset.vendor, ...options })
    const fields = { ...preset.takes, ...mapping.fields }
    this.#root = compile(preset, { ...mapping, fields }).root
    // The mapper counts what is noticed: this reader only shows the members.
    this.#reader = new RecordReader(this.#tape, this.#root, preset, mapping, emptyNotes())
    this.#exploder = preset.explode && new Exploder(preset.explode, this.#mapper.notes.mends)
  }

  /** `join` returns a record, or a child of one, with the rows of side tables; undefined when it has none. */
  trace(record: Buffer, join?: (line: Buffer) => Buffer | undefined): Trace {
    const parts: PartTrace[] = []
    const take = (line: Buffer, child: number | null) => {
      const joined = join?.(line)
      parts.push(this.#part({ bytes: joined ?? line, own: joined && line }, child))
    }
    const exploded = this.#exploder?.explode(record, 0, record.length, {
      child: (bytes, start, end, number) => take(Buffer.from(bytes.subarray(start, end)), number),
      refused: (_bytes, _start, _end, number, { reason, message }) => {
        parts.push({ ...this.#nothing(number), outcome: 'rejected', reason, message })
      },
    }) ?? { status: 'whole' }
    if (exploded.status === 'whole') take(record, null)
    const isNothing = exploded.status === 'filtered' || exploded.status === 'rejected'
    return {
      record: record.toString('utf8'),
      parts,
      whole: isNothing
        ? {
            outcome: exploded.status,
            reason: exploded.reason,
            message: 'message' in exploded ? exploded.message : null,
          }
        : null,
    }
  }

  #nothing(child: number | null): Omit<PartTrace, 'outcome' | 'reason' | 'message'> {
    const notes = notesOf(this.#mapper.takeNotes())
    return { child, source: null, distinctId: null, link: null, members: [], event: null, notes }
  }

  #part({ bytes, own }: Line, child: number | null): PartTrace {
    const mapper = this.#mapper
    const mapped = mapper.map(bytes, 0, bytes.length, own)
    const isEvent = mapped.status === 'event'
    const line = isEvent ? mapped.text : ''
    const inventory = mapper.takeInventory()
    const notes = notesOf(mapper.takeNotes())
    const source = mapper.source ?? null
    // Read before the experiments: a record's ids are good until the next one is mapped.
    const link = linkTrace(mapped.status === 'rejected' ? undefined : mapped.link)
    const distinctId = mapped.distinctId ?? null
    const noted = isEvent ? [...mapper.parts] : []
    const read = this.#reader.read(bytes, 0, bytes.length)
    const found = read === undefined ? [] : membersOf(this.#tape, this.#root)
    const values = found.map(({ path, start, end }) => ({ path, value: read!.toString('utf8', start, end) }))
    const fates = isEvent ? fatesOf(values, inventory) : values.map(() => [])
    const made = isEvent ? this.#made(line, found, fates, Buffer.from(read!)) : undefined
    const members = found.flatMap((member, index): MemberTrace[] => {
      const own = fates[index]!
      const whole: MemberTrace = {
        ...values[index]!,
        cell: null,
        fates: own,
        to: placesOf(member, own, made?.get(index)),
        rules: this.#rules.of(member, own),
      }
      const parts = noted.filter((part) => part.whole === member.path)
      return [whole, ...parts.map((part) => this.#named(part, member))]
    })
    return {
      child,
      ...this.#outcome(mapped, link),
      source,
      distinctId,
      members,
      event: isEvent ? this.#event(mapped, line, members, link) : null,
      notes,
    }
  }

  /** A part of a member that a function took apart. */
  #named({ path, json, to, fate }: NotedPart, whole: RecordMember): MemberTrace {
    const fates = [fate]
    return {
      path: `${whole.path}.${path}`,
      value: json,
      cell: null,
      fates,
      to: placesOf(whole, fates, undefined),
      rules: this.#rules.ofPart(whole, to, fates),
    }
  }

  #outcome(
    mapped: Mapped,
    link: LinkTrace | null,
  ): Pick<PartTrace, 'outcome' | 'reason' | 'message' | 'link'> {
    if (mapped.status === 'event') return { outcome: 'event', reason: null, message: null, link: null }
    const { status: outcome, reason } = mapped
    if (mapped.status === 'rejected') return { outcome, reason, message: mapped.message, link: null }
    return { outcome, reason, message: null, link }
  }

  #event(
    { instant, ownId, groupStates, givesWay }: MappedEvent,
    line: string,
    members: readonly MemberTrace[],
    link: LinkTrace | null,
  ): EventTrace {
    const top = new Map(cutMembers(line))
    const properties = new Map(cutMembers(top.get('properties')!))
    const uuid = textIn(top.get('uuid')!)
    const { vendor } = this.#preset
    return {
      line,
      uuid,
      ...uuidSource(uuid, ownId, members),
      twin: 0,
      event: textIn(top.get('event')!),
      distinctId: textIn(top.get('distinct_id')!),
      timestamp: formatInstant(instant),
      link,
      groups: cutMembers(properties.get('$groups') ?? '{}').map(([type, json]) => ({
        type,
        key: textIn(json),
      })),
      groupStates: groupStates.map(({ type, key, json }) => ({ type, key, json })),
      givesWay,
      places: eventPlaces(line, members, { vendor, mapping: this.#mapping, constants: this.#constants }),
    }
  }

  /**
   * By member, the properties that a preset's function made of it: those that another value changes. It is found out by
   * mapping the record without the value, once for each such member.
   */
  #made(
    line: string,
    members: readonly RecordMember[],
    fates: readonly (readonly string[])[],
    bytes: Buffer,
  ): Map<number, string[]> | undefined {
    const asked = [...members.keys()].filter((index) => isUntold(fates[index]!))
    // A record that was reshaped can't be reshaped again.
    if (this.#preset.reshape || asked.length * bytes.length > MOST_EXPERIMENTS) return undefined
    const before = new Map(placesIn(line))
    const made = new Map<number, string[]>()
    for (const index of asked) {
      const { start, end } = members[index]!
      const without = Buffer.concat([bytes.subarray(0, start), Buffer.from('null'), bytes.subarray(end)])
      const mapped = this.#mapper.map(without, 0, without.length)
      if (mapped.status !== 'event') continue
      const after = new Map(placesIn(mapped.text))
      const changed = [...before].filter(([place, value]) => after.get(place) !== value)
      made.set(
        index,
        changed.map(([place]) => place).filter((place) => place.startsWith('properties.')),
      )
    }
    this.#mapper.takeInventory()
    this.#mapper.takeNotes()
    return made
  }
}

function linkTrace(link: Link | undefined): LinkTrace | null {
  return link ? { anonymousId: link.anonymous.text, userId: link.user.text } : null
}

function uuidSource(
  uuid: string,
  ownId: boolean,
  members: readonly MemberTrace[],
): Pick<EventTrace, 'uuidFrom' | 'uuidMembers'> {
  if (!ownId) return { uuidFrom: 'content', uuidMembers: [] }
  const used = members.filter(({ to }) => to.includes('uuid'))
  const isOwn = used.some(({ value }) => canonicalUuid(textIn(value)) === uuid)
  const uuidFrom: UuidSource = isOwn ? 'uuid' : 'id'
  return { uuidFrom, uuidMembers: used.map(({ path }) => path) }
}

function notesOf({ mends, unusable, big_integers, duplicate_keys }: Notes): TraceNotes {
  return {
    mends: Object.fromEntries(Object.entries(mends).filter(([, count]) => count > 0)),
    unusable: Object.keys(unusable),
    bigIntegers: Object.keys(big_integers),
    duplicateKeys: duplicate_keys,
  }
}
