import { ByteWriter } from './byte-writer.ts'
import { writeEvent } from './head.ts'
import { type Key, keyOf, keys } from './keys.ts'
import { Members, PUT } from './members.ts'
import { holdsBigInteger, mend } from './mend.ts'
import { emptyNotes, type Notes } from './notes.ts'
import {
  checkInstant,
  checkSize,
  cleanDistinctId,
  cleanEventName,
  type Refusal,
  scanRefusal,
} from './rules.ts'
import { Scanner } from './scan.ts'
import { FLAG, KIND, Tape, valueText } from './tape.ts'
import { isNumericTime, parseTime } from './time.ts'
import { canonicalUuid, POSTHAUL_NAMESPACE, uuidV5 } from './uuid.ts'

export interface CompleteOptions {
  /** The clock, in microseconds since the epoch: later events than 22 hours from it are refused. */
  readonly now: number
  /** The name that group events are sent under; both spellings are accepted. */
  readonly groupEventName: string
  /** Write integers over 2^53 as strings, since the service would round them. */
  readonly bigIntegersAsStrings: boolean
}

/** Members of an event's top level, in the service's own form. */
const KNOWN = [
  'event',
  'distinct_id',
  '$distinct_id',
  'uuid',
  'timestamp',
  'properties',
  '$set',
  '$set_once',
] as const
type Known = (typeof KNOWN)[number]

const KNOWN_KEYS: ReadonlyMap<Key, Known> = new Map(KNOWN.map((name) => [keyOf(name), name]))
const DISTINCT_ID = keyOf('distinct_id')
const PERSON_KEYS = ['$set', '$set_once'] as const
type PersonKey = (typeof PERSON_KEYS)[number]
const GROUP_EVENTS = new Set(['$groupidentify', '$group_identify'])

/**
 * Turns lines of the service's own form into event lines: validates what the service would refuse or bend, completes
 * what is missing, and copies every property byte for byte. Reusable, not reentrant.
 */
export class EventCompleter {
  /** Completed lines are appended here, without line ends; the caller takes them out. */
  readonly writer = new ByteWriter()
  /** Counted up; the owner may take them out and put empty ones in. */
  notes: Notes = emptyNotes()
  readonly #options: CompleteOptions
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #members = new Members()
  readonly #found = new Map<Known, number>()
  /** The distinct_id inside properties: written anew at their head, so it is no member. */
  #inner: number | undefined

  constructor(options: CompleteOptions) {
    this.#options = options
  }

  /**
   * Appends the event line of one input line to `writer`, or says why it can't be sent. A line without a uuid gets
   * v5(its bytes and `offset`): the same line sent again is the same event, its twin elsewhere in the file is not.
   */
  complete(line: Buffer, lineStart: number, lineEnd: number, offset: number): Refusal | undefined {
    let bytes = line
    let [start, end] = [lineStart, lineEnd]
    if (!this.#scanner.scan(bytes, start, end)) {
      const { reason, at } = this.#scanner.failure
      return scanRefusal(reason, at - start)
    }
    if (this.#wantsMending()) {
      bytes = mend(line, start, end, this.#options.bigIntegersAsStrings, this.notes.mends)
      start = 0
      end = bytes.length
      this.#scanner.scan(bytes, start, end)
    }
    this.#findKnown()
    const refusal = this.#collectProperties(bytes)
    if (refusal) return refusal

    const event = this.#event(bytes)
    if (typeof event !== 'string') return event
    const distinctId = this.#distinctId(bytes)
    if (typeof distinctId !== 'string') return distinctId
    this.#countOtherId(bytes, distinctId)
    const instant = this.#instant(bytes)
    if (typeof instant !== 'number') return { ...instant, distinctId }
    const uuid =
      this.#uuid(bytes) ??
      uuidV5(POSTHAUL_NAMESPACE, `${offset}:${line.toString('utf8', lineStart, lineEnd)}`)
    if (typeof uuid !== 'string') return { ...uuid, distinctId }

    const before = this.writer.length
    writeEvent(this.writer, uuid, instant, event, distinctId, this.#members)
    const tooLarge = checkSize(this.writer.length - before)
    if (!tooLarge) return undefined
    this.writer.length = before
    return { ...tooLarge, distinctId }
  }

  #wantsMending(): boolean {
    const { flags } = this.#tape
    const always = FLAG.loneSurrogate | FLAG.hugeNumber
    return (flags & (this.#options.bigIntegersAsStrings ? always | FLAG.bigInteger : always)) !== 0
  }

  #findKnown(): void {
    const tape = this.#tape
    this.#found.clear()
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      const key = KNOWN_KEYS.get(tape.key(i))
      if (key !== undefined) {
        if (this.#found.has(key)) this.notes.duplicate_keys++
        this.#found.set(key, i)
      } else {
        const name = keys.text(tape.key(i))
        this.notes.ignored_members[name] = (this.notes.ignored_members[name] ?? 0) + 1
      }
    }
  }

  #collectProperties(bytes: Buffer): Refusal | undefined {
    const tape = this.#tape
    const members = this.#members
    members.clear()
    this.#inner = undefined
    const properties = this.#found.get('properties')
    if (properties !== undefined) {
      if (tape.kind(properties) !== KIND.object) {
        return { reason: 'properties_not_an_object', message: 'properties is not an object' }
      }
      for (let i = properties + 1; i < tape.next(properties); i = tape.next(i)) {
        if (tape.key(i) === DISTINCT_ID) {
          if (this.#inner !== undefined) this.notes.duplicate_keys++
          this.#inner = i
        } else if (members.putOwn(tape, bytes, i) === PUT.replaced) this.notes.duplicate_keys++
      }
    }
    for (const key of PERSON_KEYS) this.#movePerson(bytes, key, properties)
    if ((tape.flags & FLAG.bigInteger) !== 0) this.#countBigIntegers()
    return undefined
  }

  /**
   * The server moves a top-level $set or $set_once into the properties; there it is safe from servers that don't. As
   * there, the members of both are put together, and the top level's win.
   */
  #movePerson(bytes: Buffer, key: PersonKey, properties: number | undefined): void {
    const tape = this.#tape
    const outer = this.#found.get(key)
    if (outer === undefined || tape.kind(outer) === KIND.null) return
    const inner = properties === undefined ? undefined : lastMember(tape, properties, keyOf(key))
    if (inner === undefined || tape.kind(inner) !== KIND.object) {
      if (this.#members.putOwn(tape, bytes, outer) === PUT.replaced) this.notes.duplicate_keys++
      return
    }
    if (tape.kind(outer) !== KIND.object) {
      this.notes.ignored_members[key] = (this.notes.ignored_members[key] ?? 0) + 1
      return
    }
    const both = new Members()
    both.clear()
    for (const from of [inner, outer]) {
      for (let i = from + 1; i < tape.next(from); i = tape.next(i)) {
        if (both.putOwn(tape, bytes, i) === PUT.replaced) this.notes.duplicate_keys++
      }
    }
    const text = new ByteWriter(tape.end(inner) - tape.start(inner) + tape.end(outer) - tape.start(outer))
    both.writeObject(text)
    this.#members.put(keyOf(key), text.bytes, 0, text.length)
  }

  #countBigIntegers(): void {
    this.#members.visit((key, value, start, end) => {
      if (!holdsBigInteger(value, start, end)) return
      const name = keys.text(key)
      this.notes.big_integers[name] = (this.notes.big_integers[name] ?? 0) + 1
    })
  }

  #event(bytes: Buffer): string | Refusal {
    const at = this.#found.get('event')
    if (at === undefined) return { reason: 'event_missing', message: 'event is missing' }
    if (this.#tape.kind(at) !== KIND.string)
      return { reason: 'event_not_text', message: 'event is not a string' }
    const event = valueText(this.#tape, bytes, at)!
    if (event === '') return { reason: 'event_empty', message: 'event is an empty string' }
    return GROUP_EVENTS.has(event) ? this.#options.groupEventName : cleanEventName(event)
  }

  /** Top level first, then properties, as the server reads it. Numbers are kept as their digits. */
  #distinctId(bytes: Buffer): string | Refusal {
    const tape = this.#tape
    const candidates = [this.#found.get('distinct_id') ?? this.#found.get('$distinct_id'), this.#inner]
    for (const at of candidates) {
      if (at === undefined || tape.kind(at) === KIND.null) continue
      if (tape.kind(at) !== KIND.string && tape.kind(at) !== KIND.number) {
        return { reason: 'distinct_id_not_text', message: 'distinct_id is neither a string nor a number' }
      }
      const text = valueText(tape, bytes, at)!
      if (text !== '') return cleanDistinctId(text)
    }
    return cleanDistinctId('')
  }

  /** The one inside properties becomes the one the event goes by: where it was another, that is a value left out. */
  #countOtherId(bytes: Buffer, distinctId: string): void {
    if (this.#inner === undefined || this.#tape.kind(this.#inner) === KIND.null) return
    const text = valueText(this.#tape, bytes, this.#inner)
    if (text === distinctId || text === '') return
    if (text !== undefined && cleanDistinctId(text) === distinctId) return
    const { ignored_members: ignored } = this.notes
    ignored['properties.distinct_id'] = (ignored['properties.distinct_id'] ?? 0) + 1
  }

  #instant(bytes: Buffer): number | Refusal {
    const at = this.#found.get('timestamp')
    const kind = at === undefined ? KIND.null : this.#tape.kind(at)
    const text = at === undefined ? undefined : valueText(this.#tape, bytes, at)
    if (at === undefined || kind === KIND.null || text === '') {
      return {
        reason: 'timestamp_missing',
        message: 'timestamp is missing: the service would take the time of import',
      }
    }
    if (kind !== KIND.string || isNumericTime(text!)) {
      return { reason: 'timestamp_not_text', message: 'timestamp is not ISO 8601 text' }
    }
    try {
      const instant = parseTime(text!)
      return checkInstant(instant, this.#options.now) ?? instant
    } catch (error) {
      return { reason: 'timestamp_unparsable', message: (error as RangeError).message }
    }
  }

  #uuid(bytes: Buffer): string | Refusal | undefined {
    const at = this.#found.get('uuid')
    if (at === undefined || this.#tape.kind(at) === KIND.null) return undefined
    const text = this.#tape.kind(at) === KIND.string ? valueText(this.#tape, bytes, at)! : '?'
    if (text === '') return undefined
    return (
      canonicalUuid(text) ?? {
        reason: 'uuid_invalid',
        message: 'uuid is no UUID: the service would refuse the batch',
      }
    )
  }
}

/** The last member of that name in the object at `parent`: the one that counts. */
function lastMember(tape: Tape, parent: number, key: Key): number | undefined {
  let last: number | undefined
  for (let i = parent + 1; i < tape.next(parent); i = tape.next(i)) if (tape.key(i) === key) last = i
  return last
}
