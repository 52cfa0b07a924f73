import { PosthaulError } from '../errors.ts'
import { ByteWriter } from '../record/byte-writer.ts'
import { stringEnd } from '../record/bytes.ts'
import { type Key, keyOf, keys } from '../record/keys.ts'
import type { Span } from '../record/members.ts'
import { type Mends, mend } from '../record/mend.ts'
import { MAX_EVENT_BYTES, type Refusal } from '../record/rules.ts'
import { MOST_MEMBERS, Scanner } from '../record/scan.ts'
import { FLAG, KIND, Tape } from '../record/tape.ts'
import { decodeText } from '../record/text.ts'
import { mapValues } from '../text/lists.ts'
import { MIB } from '../text/units.ts'
import { KIND_WORDS } from './empty-values.ts'
import { targetList } from './mapped-rules.ts'
import { pathSegments, quotedSegment } from './member-path.ts'
import { namedRow, rowNames } from './named-rows.ts'
import type { Explode, Preset, RecordView } from './preset.ts'

interface ChildPlace {
  /** Its place among its siblings, from 1. */
  readonly number: number
  readonly [told: string]: unknown
}

/** The member that says where a child was. A preset gives it a slot, `'(child)': '@child'`. */
export const CHILD = '(child)'

/** What a child was told; undefined for a record that was mapped as it is. `slot` is that of `(child)`. */
export function childPlace(record: RecordView, slot = 'child'): ChildPlace | undefined {
  const json = record.object(slot)
  return json === undefined ? undefined : (JSON.parse(json) as ChildPlace)
}

/** What became of a record: its children, or its whole, were handed on, or none of it can be. */
export type Exploded =
  | { readonly status: 'children' }
  | { readonly status: 'whole' }
  | { readonly status: 'filtered'; readonly reason: string }
  | ({ readonly status: 'rejected' } & Refusal)

/** Takes the children of a record, in order. The bytes are valid during the call. */
export interface TakesChildren {
  child(bytes: Buffer, start: number, end: number, number: number): void
  refused(bytes: Buffer, start: number, end: number, number: number, refusal: Refusal): void
}

/** A record has no more children, and they copy their parent to no more bytes than this. */
const MOST_CHILDREN = MOST_MEMBERS
const MOST_BYTES = 1024 * MIB

const WHOLE: Exploded = { status: 'whole' }
const CHILDREN: Exploded = { status: 'children' }
const EMPTY = 'no_children'
const NO_CHILDREN: Exploded = { status: 'filtered', reason: EMPTY }
const NULL = ByteWriter.of('null')

/** Cuts records into their children by copying spans. Reusable; not reentrant. */
export class Exploder {
  readonly #explode: Explode
  readonly #member: Key
  readonly #unless: readonly Key[]
  readonly #child: Key
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #out = new ByteWriter()
  /** The parent up to the array, and from its end up to the closing bracket. */
  readonly #before = new ByteWriter()
  readonly #mends: Mends

  /** Changes that a record needs before it is cut are counted in `mends`. */
  constructor(explode: Explode, mends: Mends) {
    this.#explode = explode
    this.#member = keyOf(explode.member)
    this.#unless = (explode.unless ?? []).map(keyOf)
    this.#child = keyOf(CHILD)
    this.#mends = mends
  }

  /** Hands on the children of a record. A line that is no record is whole: the mapper says why. */
  explode(bytes: Buffer, start: number, end: number, sink: TakesChildren): Exploded {
    if (!this.#scanner.scan(bytes, start, end)) return WHOLE
    const [array, place] = this.#find()
    if (array < 0) return WHOLE
    const tape = this.#tape
    const kind = tape.kind(array)
    if (place >= 0 && kind !== KIND.array) {
      const told = JSON.parse(bytes.toString('utf8', tape.start(place), tape.end(place))) as ChildPlace
      this.#handOn(sink, { bytes, start, end }, bytes[tape.start(array)]!, told.number)
      return CHILDREN
    }
    const value = { bytes, start: tape.start(array), end: tape.end(array) }
    if (kind === KIND.null || (kind === KIND.string && value.end - value.start === 2)) return NO_CHILDREN
    if (kind === KIND.string && (tape.flags & FLAG.loneSurrogate) !== 0) {
      // Decoding would replace an unpaired surrogate without counting it.
      const mended = mend(bytes, start, end, { mends: this.#mends })
      return this.explode(mended, 0, mended.length, sink)
    }
    const opened = kind === KIND.string ? arrayIn(value, tape.escaped(array)) : value
    if (opened === undefined || (kind !== KIND.array && kind !== KIND.string)) {
      const message = `${this.#explode.member} is ${KIND_WORDS[kind]}, not an array`
      return { status: 'rejected', reason: 'children_not_an_array', message }
    }
    return this.#cut({ bytes, start, end }, value, opened, sink)
  }

  /** Index on the tape of the array and of `(child)`, the last of each; -1 for none, or for a record to be mapped as it is. */
  #find(): readonly [array: number, place: number] {
    const tape = this.#tape
    let [array, place] = [-1, -1]
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      if (this.#unless.includes(tape.key(i))) return [-1, -1]
      if (tape.key(i) === this.#member) array = i
      else if (tape.key(i) === this.#child && tape.kind(i) === KIND.object) place = i
    }
    return [array, place]
  }

  #cut(parent: Span, value: Span, array: Span, sink: TakesChildren): Exploded {
    const member = this.#explode.member
    const spans = elementSpans(array.bytes, array.start, array.end, MOST_CHILDREN)
    const count = (spans?.length ?? 0) / 2
    if (spans !== undefined && count === 0) return NO_CHILDREN
    const after = {
      bytes: parent.bytes,
      start: value.end,
      end: parent.bytes.lastIndexOf(CLOSE_OBJECT, parent.end - 1),
    }
    this.#writeBefore(parent, value)
    const own = this.#before.length + after.end - after.start
    if (own > MAX_EVENT_BYTES) {
      const message = `the record has ${own} bytes beside ${member}, and an event has room for ${MAX_EVENT_BYTES}`
      return { status: 'rejected', reason: 'parent_too_large', message }
    }
    if (spans === undefined || own * count > MOST_BYTES) {
      const message =
        spans === undefined
          ? `${member} has more than ${MOST_CHILDREN} elements`
          : `${member} has ${count} elements, and each would carry the record's other ${own} bytes`
      return { status: 'rejected', reason: 'too_many_children', message }
    }
    const tell = this.#explode.siblings?.(textsOf(array.bytes, spans))
    const names = array.bytes[spans[0]!] === OPEN_ARRAY ? this.#rowNames(parent) : undefined
    for (let index = 0; index < count; index++) {
      const written = { bytes: array.bytes, start: spans[2 * index]!, end: spans[2 * index + 1]! }
      const child = names ? namedRow(names, written) : written
      this.#writeLine(child, after, { number: index + 1, ...tell?.(index) })
      const line = { bytes: this.#out.bytes, start: 0, end: this.#out.length }
      this.#handOn(sink, line, child.bytes[child.start]!, index + 1)
    }
    return CHILDREN
  }

  /** The names of a row's values, where the record tells them. */
  #rowNames({ bytes }: Span): readonly string[] | undefined {
    const tape = this.#tape
    const beside: Array<[string, string]> = []
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      if (tape.kind(i) === KIND.array && tape.key(i) !== this.#member)
        beside.push([keys.text(tape.key(i)), bytes.toString('utf8', tape.start(i), tape.end(i))])
    }
    return rowNames(beside)
  }

  /** The parent up to the array. Of several members with the array's name the last one counts, as everywhere. */
  #writeBefore(parent: Span, value: Span): void {
    const [tape, before] = [this.#tape, this.#before]
    before.length = 0
    let copied = parent.start
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      if (tape.key(i) !== this.#member || tape.start(i) === value.start) continue
      before.copy(parent.bytes, copied, tape.start(i))
      before.append(NULL)
      copied = tape.end(i)
    }
    before.copy(parent.bytes, copied, value.start)
  }

  #writeLine(child: Span, after: Span, place: ChildPlace): void {
    const out = this.#out
    out.length = 0
    out.append(this.#before)
    out.copy(child.bytes, child.start, child.end)
    out.copy(after.bytes, after.start, after.end)
    out.utf8(`,"${CHILD}":${JSON.stringify(place)}}`)
  }

  /** `first`: the byte that the child begins with. */
  #handOn(sink: TakesChildren, { bytes, start, end }: Span, first: number, number: number): void {
    const message = `element ${number} of ${this.#explode.member} is no object${first === OPEN_ARRAY ? ', nor a row for whose values the record has as many names, such as columns' : ''}`
    if (first === OPEN_OBJECT) sink.child(bytes, start, end, number)
    else sink.refused(bytes, start, end, number, { reason: 'child_not_an_object', message })
  }
}

function textsOf(bytes: Buffer, spans: readonly number[]): string[] {
  const texts: string[] = []
  for (let i = 0; i < spans.length; i += 2) texts.push(bytes.toString('utf8', spans[i], spans[i + 1]))
  return texts
}

/** The array in a text, as tables write it; undefined for other text. */
function arrayIn({ bytes, start, end }: Span, escaped: boolean): Span | undefined {
  const text = decodeText(bytes, start + 1, end - 1, escaped).trim()
  const array = text.startsWith('[') ? openedText(text) : undefined
  return array && { bytes: array, start: 0, end: array.length }
}

const OPENED = new Tape()
const OPENER = new Scanner(OPENED)

/** The bytes of text that holds an object or an array, on one line; undefined for other text. */
export function openedText(text: string): Buffer | undefined {
  const isArray = text.startsWith('[')
  if (!isArray && !text.startsWith('{')) return undefined
  // The scanner takes objects only: an array is the one member of an object around it.
  const whole = Buffer.from(isArray ? `{"":${text}}` : text)
  if (!OPENER.scan(whole, 0, whole.length)) return undefined
  // Text such as `[1],"a":2` would make a second member.
  if (isArray && OPENED.end(0) !== whole.length - 1) return undefined
  const inner = isArray ? whole.subarray(4, whole.length - 1) : whole
  // Valid JSON has line breaks only between values. Inside a line they would end it.
  for (let at = 0; at < inner.length; at++) if (inner[at] === 0x0a || inner[at] === 0x0d) inner[at] = 0x20
  return inner
}

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/**
 * The elements of the array at [start, end) of valid JSON: index of the first byte of each and after its last one, one
 * after the other. Undefined when it has more than `most` of them.
 */
export function elementSpans(bytes: Buffer, start: number, end: number, most: number): number[] | undefined {
  const spans: number[] = []
  let at = blanksEnd(bytes, start + 1, end)
  while (at < end && bytes[at] !== CLOSE_ARRAY) {
    if (spans.length === 2 * most) return undefined
    const after = valueEnd(bytes, at, end)
    spans.push(at, after)
    at = blanksEnd(bytes, after, end)
    if (bytes[at] === COMMA) at = blanksEnd(bytes, at + 1, end)
  }
  return spans
}

function blanksEnd(bytes: Buffer, from: number, end: number): number {
  let at = from
  while (at < end && bytes[at]! <= 0x20) at++
  return at
}

/** Index after the value that begins at `from`. */
function valueEnd(bytes: Buffer, from: number, end: number): number {
  let depth = 0
  let at = from
  while (at < end) {
    const byte = bytes[at]!
    if (byte === QUOTE) at = stringEnd(bytes, at)
    else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      depth++
      at++
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      // The end of the array itself ends a number or a word.
      if (depth === 0) return at
      depth--
      at++
    } else if (depth === 0 && (byte === COMMA || byte <= 0x20)) return at
    else {
      at++
      continue
    }
    if (depth === 0) return at
  }
  return at
}

/**
 * The preset for records that hold a list of its records, `list` is the member of a mapping file's `explode`. The preset's rules hold for
 * the elements. Members beside the list are of the envelope, and left out: a key, a cursor or a count is nothing that each
 * element says. Those of `kept` (`explode_with`) are properties; fields and groups may be named beside the list too. An id of the
 * whole is none of each element: with one id, all elements would be one event.
 */
export function explodedPreset(
  preset: Preset,
  list: string | undefined,
  kept: readonly string[] = [],
): Preset {
  if (list === undefined) return preset
  assertCut(preset, list)
  const inside = (path: string) => `${quotedSegment(list)}.${path}`
  const keysInside = <T>(table: Readonly<Record<string, T>>) =>
    Object.fromEntries(Object.entries(table).map(([path, value]) => [inside(path), value]))
  const { fields, takes, unpack = [] } = preset
  const beside = Object.entries(fields).filter(
    ([path, target]) =>
      kept.includes(pathSegments(path)[0]!) && targetList(target).every((one) => !one.startsWith('@')),
  )
  const named = Object.fromEntries(kept.map((name) => [quotedSegment(name), '*']))
  return {
    ...preset,
    explode: { member: list },
    leavesEnvelopeOut: true,
    fields: { ...keysInside(fields), [CHILD]: '@child', '*': [], ...named, ...Object.fromEntries(beside) },
    unpack: unpack.map(inside),
    ...(takes && { takes: mapValues(takes, (paths) => paths.map(inside)) }),
  }
}

function assertCut({ vendor, explode, reshape, sideTables = [] }: Preset, list: string): void {
  const why = explode
    ? `cuts its records by itself, by ${explode.member}`
    : reshape || sideTables.length > 0
      ? 'reads its records as a whole'
      : undefined
  if (why === undefined) return
  throw new PosthaulError(`explode: ${list} can't be: the preset ${vendor} ${why}`, {
    code: 'config',
    hint: 'take explode out of the mapping file, or use preset: events and name what the elements hold',
  })
}
