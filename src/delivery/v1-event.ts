import { ByteWriter } from '../record/byte-writer.ts'
import { beginsWith } from '../record/bytes.ts'
import { type IdentitySpan, readIdentity } from '../record/head.ts'
import type { Refusal } from '../record/rules.ts'
import { Scanner } from '../record/scan.ts'
import { Tape } from '../record/tape.ts'
import {
  fitted,
  PLACES,
  placeAt,
  placeOfKey,
  refusalOfV1,
  SEARCH_WINDOW,
  stepAfter,
  valueEnd,
} from './v1-rules.ts'

const [COMMA, COLON, BACKSLASH, OPEN, CLOSE] = [0x2c, 0x3a, 0x5c, 0x7b, 0x7d]

const PROPERTIES = Buffer.from(',"properties":')
const ID = Buffer.from('"distinct_id":')
// Without the option the service shifts each timestamp by the age of the request, so that a resend is another event.
const NO_SKEW = ',"options":{"disable_skew_correction":true'
const OPTIONS = ByteWriter.of(NO_SKEW)
const BEFORE_PROPERTIES = ByteWriter.of(',"properties":')
const CLOSED = ByteWriter.of('}}')
/** The end of a form without places, in place of its line's last brace. */
const ENDING = ByteWriter.of(`${NO_SKEW}}}`)
/** How the escape of an ASCII character begins, which can hide a name. */
const ESCAPE = Buffer.from('\\u00')

const NO_EVENT_LINE: Refusal = { reason: 'not_an_event_line', message: 'not a line that transform wrote' }

/**
 * Writes event lines in the form of Capture V1: distinct_id is not repeated in the properties, and the session and the options
 * are taken out of them and put beside them, as the official clients do. All else is copied byte for byte. The options are the
 * last member, so that most lines take two copies: a copy costs more than its bytes.
 */
export class V1Events {
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  readonly #identity: IdentitySpan = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }
  readonly #mayHavePlaces: boolean
  #from = new ByteWriter(0)
  #bytes = this.#from.bytes
  #words = this.#from.words
  /** The line that was read last: its span, the brace of its properties, and where they go on after distinct_id. */
  #start = 0
  #end = 0
  #open = 0
  #rest = 0
  /** The first escape of an ASCII character from the current line on. */
  #escape = 0
  /** Of each place: the span of its value in the current line, -1 if it has none; or what the value is sent as. */
  readonly #values = PLACES.map(() => ({ start: -1, end: -1, fitted: undefined as ByteWriter | undefined }))
  /** Of each place: its last member on the tape. */
  readonly #last = PLACES.map(() => 0)
  /** Where each span begins and ends that is left out of the properties. The comma before a member goes with it. */
  readonly #cuts: number[] = []

  /** `mayHavePlaces`: false if it is known that no line has a property of `PLACES`. None is searched then. */
  constructor(mayHavePlaces: boolean) {
    this.#mayHavePlaces = mayHavePlaces
  }

  /** Takes the buffer of the lines that come next. Its bytes must not change until the last of them is written. */
  begin(from: ByteWriter): void {
    this.#from = from
    this.#bytes = from.bytes
    this.#words = from.words
    this.#escape = -1
  }

  /** As `read`, of a line in another buffer, which is not written. */
  readOf(bytes: Buffer, start: number, end: number): Refusal | undefined {
    this.#bytes = bytes
    return this.read(start, end)
  }

  /** Reads the event line [start, end). Returns why V1 would drop it, if it would: it can't be written then. */
  read(start: number, end: number): Refusal | undefined {
    const bytes = this.#bytes
    const identity = this.#identity
    if (!readIdentity(bytes, start, end, identity)) return NO_EVENT_LINE
    const refusal = refusalOfV1(bytes, identity)
    if (refusal) return refusal
    const headEnd = identity.distinctIdEnd
    const open = headEnd + PROPERTIES.length
    const isLine =
      bytes[end - 1] === CLOSE && bytes[open] === OPEN && beginsWith(bytes, headEnd, end, PROPERTIES)
    if (!isLine) return NO_EVENT_LINE
    this.#start = start
    this.#end = end
    this.#open = open
    this.#rest = this.#afterId(open + 1, headEnd)
    if (this.#cuts.length > 0) this.#forget()
    if (this.#mayHavePlaces && (this.#mayHide(start, end) || !this.#search(end - 1))) {
      if (!this.#scan(open, end - 1)) return NO_EVENT_LINE
    }
    return undefined
  }

  /** Writes the form of the line that was read last. */
  write(to: ByteWriter): void {
    const end = this.#end - 1
    if (this.#cuts.length === 0) {
      to.copyFrom(this.#from, this.#start, this.#open + 1)
      to.copyFrom(this.#from, this.#next(this.#rest, end), end)
      to.append(ENDING)
      return
    }
    to.copyFrom(this.#from, this.#start, this.#open - PROPERTIES.length)
    this.#writeValues(to, false)
    to.append(BEFORE_PROPERTIES)
    this.#writeRest(end, to)
    to.append(OPTIONS)
    this.#writeValues(to, true)
    to.append(CLOSED)
  }

  /** The same of a line in another buffer, which has none of the places. */
  writePlain(to: ByteWriter): void {
    const end = this.#end - 1
    to.copy(this.#bytes, this.#start, this.#open + 1)
    to.copy(this.#bytes, this.#next(this.#rest, end), end)
    to.append(ENDING)
  }

  /** Index after the distinct_id at the beginning of the properties, if it is that of the head; else the beginning. */
  #afterId(start: number, headEnd: number): number {
    const bytes = this.#bytes
    const idStart = this.#identity.eventEnd + ',"distinct_id":'.length
    const at = start + ID.length
    const end = at + headEnd - idStart
    if (end > this.#end || !beginsWith(bytes, start, end, ID)) return start
    for (let i = at; i < end; i++) if (bytes[i] !== bytes[idStart + i - at]) return start
    return end
  }

  /** The beginning of the next member: the comma after one that is left out goes with it. */
  #next(at: number, end: number): number {
    if (at === this.#open + 1) return at
    let next = at
    while (next < end && (this.#bytes[next]! <= 0x20 || this.#bytes[next] === COMMA)) next++
    return next
  }

  #forget(): void {
    this.#cuts.length = 0
    for (const value of this.#values) {
      value.start = -1
      value.fitted = undefined
    }
  }

  /** True if an escape in the line can hide a name. The next escape is kept: most lines have none. */
  #mayHide(start: number, end: number): boolean {
    const bytes = this.#bytes
    for (let from = start; ; from = this.#escape + 1) {
      if (this.#escape < from) {
        const found = bytes.indexOf(ESCAPE, from)
        this.#escape = found < 0 ? bytes.length : found
      }
      if (this.#escape >= end) return false
      // Printable ASCII is from 20 to 7e.
      const digit = bytes[this.#escape + ESCAPE.length]!
      if (digit >= 0x32 && digit <= 0x37) return true
    }
  }

  /**
   * Looks for the places in the properties [open, end) by their spelling. False if a scan has to tell: a name can be in an
   * object within the properties, or have blanks around it.
   */
  #search(end: number): boolean {
    const bytes = this.#bytes
    const from = this.#rest
    const words = this.#words
    const last = end - 4
    /** Where the first object within the properties may begin. */
    let nested = -1
    let i = from + SEARCH_WINDOW - 4
    while (i <= last) {
      const word = words.getInt32(i, true)
      const step = stepAfter(word)
      if (step > 0) {
        i += step
        continue
      }
      const quote = i + 4 - SEARCH_WINDOW
      i++
      const at = placeAt(bytes, quote, end)
      if (at < 0) continue
      const { spelled, kind } = PLACES[at]!
      const nameEnd = quote + spelled.length
      const before = bytes[quote - 1]!
      // What follows an escaped quote is the end of another name; what no colon follows is a value.
      if (before === BACKSLASH || (bytes[nameEnd] !== COLON && bytes[nameEnd]! > 0x20)) continue
      if (nested < 0) nested = (bytes.indexOf(OPEN, from) + 1 || end) - 1
      const start = nameEnd + 1
      const isPlain = before === COMMA && bytes[nameEnd] === COLON && bytes[start]! > 0x20
      if (!isPlain || nested < quote || this.#values[at]!.start >= 0) return false
      const after = valueEnd(bytes, start, end, kind)
      // Another member of the name may follow, which counts.
      if (after < 0) return false
      this.#take(at, start, after, quote - 1)
      i = after + SEARCH_WINDOW - 4
    }
    return true
  }

  /** The same by scanning the properties. False if they are no JSON object. */
  #scan(open: number, end: number): boolean {
    this.#forget()
    const tape = this.#tape
    if (!this.#scanner.scan(this.#bytes, open, end)) return false
    const last = this.#last
    let found = false
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      const at = placeOfKey(tape.key(i))
      if (at < 0) continue
      last[at] = i
      found = true
    }
    if (!found) return true
    let before = open + 1
    for (let i = 0; i < tape.count; i = tape.next(i)) {
      const at = placeOfKey(tape.key(i))
      // Of two members of a name the last counts, and the others go with it.
      if (at >= 0) this.#fit(at, last[at]!, before, tape.end(i))
      before = tape.end(i)
    }
    return true
  }

  /** Takes a value of any kind; one that no official client would send is left out. */
  #fit(at: number, member: number, from: number, to: number): void {
    const json = this.#bytes.toString('utf8', this.#tape.start(member), this.#tape.end(member))
    this.#values[at]!.fitted = fitted(json, PLACES[at]!.kind)
    this.#cuts.push(from, to)
  }

  #take(at: number, start: number, end: number, from: number): void {
    const value = this.#values[at]!
    value.start = start
    value.end = end
    this.#cuts.push(from, end)
  }

  #writeValues(to: ByteWriter, option: boolean): void {
    for (let at = 0; at < PLACES.length; at++) {
      const { start, end, fitted: word } = this.#values[at]!
      const { member, option: isOption, isOverruled } = PLACES[at]!
      if ((start < 0 && !word) || isOption !== option || isOverruled) continue
      to.append(member)
      if (word) to.append(word)
      else to.copyFrom(this.#from, start, end)
    }
  }

  /** Writes the properties from their brace to `end`, without the cuts. */
  #writeRest(end: number, to: ByteWriter): void {
    const cuts = this.#cuts
    to.byte(OPEN)
    let at = this.#rest
    let isFirst = true
    for (let i = 0; i <= cuts.length; i += 2) {
      const until = i < cuts.length ? cuts[i]! : end
      if (isFirst) at = this.#next(at, until)
      if (at < until) isFirst = false
      to.copyFrom(this.#from, at, until)
      at = cuts[i + 1]!
    }
  }
}

/** The event line that `writePlainV1` wrote as [start, end), as a transform writes it: distinct_id is in its properties too. */
export function lineOfPlainV1(bytes: Buffer, start: number, end: number): Buffer {
  const identity = { eventStart: 0, eventEnd: 0, distinctIdEnd: 0 }
  readIdentity(bytes, start, end, identity)
  const id = bytes.subarray(identity.eventEnd + 1, identity.distinctIdEnd)
  const rest = identity.distinctIdEnd + PROPERTIES.length + 1
  const comma = bytes[rest] === CLOSE ? [] : [COMMA]
  const properties = bytes.subarray(rest, end - ENDING.length)
  return Buffer.concat([bytes.subarray(start, rest), id, Buffer.of(...comma), properties, Buffer.of(CLOSE)])
}
