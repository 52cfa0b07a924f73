import { ByteWriter } from '../record/byte-writer.ts'
import { keyOf } from '../record/keys.ts'
import { mend } from '../record/mend.ts'
import { countOne, type Notes } from '../record/notes.ts'
import { type Refusal, scanRefusal } from '../record/rules.ts'
import { Scanner } from '../record/scan.ts'
import { FLAG, KIND, Tape } from '../record/tape.ts'
import { decodeText } from '../record/text.ts'
import { NO_COLUMNS } from './columns.ts'
import type { RuleNode } from './compile.ts'
import { openedText } from './explode.ts'
import type { Mapping } from './mapping.ts'
import type { Preset } from './preset.ts'
import { cellTyper } from './typed-text.ts'

/** Brings lines into the form that rules are for: checked, reshaped, opened and mended. */
export class RecordReader {
  /** True when the tape is of the last line. */
  isRead = false
  /** Why the last line could not be read. */
  refusal: Refusal = { reason: '', message: '' }
  readonly #tape: Tape
  readonly #scanner: Scanner
  readonly #unpacker: Unpacker
  readonly #reshape: Preset['reshape']
  readonly #bigIntegersAsStrings: boolean
  readonly #mends: Notes['mends']
  /** Gives text the types of the mapping file; undefined where it names none. */
  readonly #typed: ReturnType<typeof cellTyper> | undefined

  /** `rules`: their tree says what members are looked into. Mends are counted in `notes`. */
  constructor(
    tape: Tape,
    { reshape }: Preset,
    { root, types, bigIntegersAsStrings, ...mapping }: Mapping & { readonly root: RuleNode },
    notes: Notes,
  ) {
    this.#tape = tape
    this.#scanner = new Scanner(tape)
    this.#unpacker = new Unpacker(root)
    this.#reshape = reshape
    this.#bigIntegersAsStrings = bigIntegersAsStrings
    this.#mends = notes.mends
    if (types) {
      const said = { ...NO_COLUMNS, columns: types, ...mapping, zone: mapping.sourceTimezone }
      this.#typed = cellTyper(said, (what) => countOne(notes.unusable, what), 'types')
    }
  }

  /** The bytes that the tape is of: the line's own where nothing had to change. Undefined with a `refusal`. */
  read(line: Buffer, start: number, end: number): Buffer | undefined {
    this.isRead = false
    if (!this.#scanner.scan(line, start, end)) {
      const { reason, at } = this.#scanner.failure
      this.refusal = scanRefusal(reason, at - start, line.subarray(start, end))
      return undefined
    }
    const bytes = this.#prepare(line, start, end)
    this.isRead = bytes !== undefined
    if (bytes === undefined) this.refusal = openedRefusal(this.#scanner.failure)
    return bytes
  }

  /**
   * Opens packed members and mends what the service would refuse; the tape then fits the returned bytes. Undefined
   * when the record is too deep with its members open.
   */
  #prepare(line: Buffer, start: number, end: number): Buffer | undefined {
    let [bytes, from, to] = [line, start, end]
    if (this.#reshape !== undefined) {
      bytes = Buffer.from(this.#reshape(line.toString('utf8', start, end)))
      ;[from, to] = [0, bytes.length]
      if (!this.#scanner.scan(bytes, from, to)) return undefined
    }
    const isPacked = (this.#tape.flags & FLAG.packed) !== 0
    // Text that is opened or typed is decoded, which would replace an unpaired surrogate without counting it.
    if ((isPacked || this.#typed) && (this.#tape.flags & FLAG.loneSurrogate) !== 0) {
      bytes = this.#mend(bytes, from, to)
      ;[from, to] = [0, bytes.length]
    }
    if (isPacked) {
      for (;;) {
        const open = this.#unpacker.unpack(this.#tape, bytes, from, to)
        if (open === undefined) break
        ;[bytes, from, to] = [open, 0, open.length]
        if (!this.#scanner.scan(bytes, from, to)) return undefined
      }
    }
    if (this.#typed) {
      const own = bytes.subarray(from, to)
      const typed = this.#typed(own)
      if (typed !== own) {
        ;[bytes, from, to] = [typed, 0, typed.length]
        if (!this.#scanner.scan(bytes, from, to)) return undefined
      }
    }
    const bigInteger = this.#bigIntegersAsStrings ? FLAG.bigInteger : 0
    const unfit = FLAG.loneSurrogate | FLAG.hugeNumber | bigInteger
    return (this.#tape.flags & unfit) === 0 ? bytes : this.#mend(bytes, from, to)
  }

  #mend(bytes: Buffer, start: number, end: number): Buffer {
    const mended = mend(bytes, start, end, { bigIntegers: this.#bigIntegersAsStrings, mends: this.#mends })
    const huge = this.#tape.flags & FLAG.hugeNumber
    this.#scanner.scan(mended, 0, mended.length)
    this.#tape.flags |= huge
    return mended
  }
}

/** The members of an object that rules look into. */
interface Places {
  /** By key: 0 for a member that no rule looks into, else one more than its index in `children`. */
  readonly at: Uint16Array
  readonly children: readonly Places[]
}

/**
 * Opens JSON in text. A member that rules look into may hold its object or array as text: warehouses and CSV files
 * write it so. Such text is replaced by what it holds, so that the rules see the record as its vendor made it.
 */
class Unpacker {
  readonly #root: Places
  #record = { tape: new Tape(), bytes: Buffer.alloc(0) as Buffer }
  /** Two, in turn: text within opened text is opened out of the buffer that was written last. */
  readonly #writers = [new ByteWriter(), new ByteWriter()] as const
  #turn = 0

  constructor(root: RuleNode) {
    this.#root = placesOf(root)
  }

  /**
   * The record with such members opened; undefined when none is left. Text inside text is opened by another call, with
   * the tape of the result. The result is valid until the call after the next one.
   */
  unpack(tape: Tape, bytes: Buffer, start: number, end: number): Buffer | undefined {
    this.#turn = 1 - this.#turn
    const writer = this.#writers[this.#turn as 0 | 1]
    writer.length = 0
    this.#record = { tape, bytes }
    const copied = this.#object(this.#root, 0, tape.count, start)
    if (copied === start) return undefined
    writer.copy(bytes, copied, end)
    return writer.bytes.subarray(0, writer.length)
  }

  /** Writes the bytes up to the last opened member; returns the place after it, or `copied` when none was opened. */
  #object(places: Places, from: number, to: number, copied: number): number {
    const { tape, bytes } = this.#record
    let done = copied
    for (let i = from; i < to; i = tape.next(i)) {
      const key = tape.key(i)
      const place = key < places.at.length ? places.at[key]! : 0
      if (place === 0) continue
      const kind = tape.kind(i)
      if (kind === KIND.object) {
        done = this.#object(places.children[place - 1]!, i + 1, tape.next(i), done)
      } else if (kind === KIND.string) {
        const inner = openedText(
          decodeText(bytes, tape.start(i) + 1, tape.end(i) - 1, tape.escaped(i)).trim(),
        )
        if (inner === undefined) continue
        const writer = this.#writers[this.#turn as 0 | 1]
        writer.copy(bytes, done, tape.start(i))
        writer.copy(inner, 0, inner.length)
        done = tape.end(i)
      }
    }
    return done
  }
}

/** Says why a record can't be read once its text is opened: a place in the bytes would not be one of the user's. */
function openedRefusal({ reason: why, at }: Scanner['failure']): Refusal {
  const { reason, message } = scanRefusal(why, at)
  return { reason, message: message.replace(/ \(byte .*$/, ', once the JSON text in it is opened') }
}

function placesOf(node: RuleNode): Places {
  const inner = [...node.named].filter(([, { child, opens }]) => child !== undefined || opens)
  const keys = inner.map(([name]) => keyOf(name))
  const at = new Uint16Array(Math.max(-1, ...keys) + 1)
  for (const [index, key] of keys.entries()) at[key] = index + 1
  return { at, children: inner.map(([, { child }]) => (child ? placesOf(child) : NOTHING)) }
}

const NOTHING: Places = { at: new Uint16Array(0), children: [] }
