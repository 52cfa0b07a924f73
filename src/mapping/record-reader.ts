import { mend } from '../record/mend.ts'
import type { Notes } from '../record/notes.ts'
import { type Refusal, scanRefusal } from '../record/rules.ts'
import { Scanner } from '../record/scan.ts'
import { FLAG, type Tape } from '../record/tape.ts'
import type { RuleNode } from './compile.ts'
import type { Mapping } from './mapping.ts'
import type { Preset } from './preset.ts'
import { openedRefusal, Unpacker } from './unpack.ts'

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

  /** `root`: the rules, which say what members are looked into. Mends are counted in `notes`. */
  constructor(
    tape: Tape,
    root: RuleNode,
    { reshape }: Preset,
    { bigIntegersAsStrings }: Mapping,
    notes: Notes,
  ) {
    this.#tape = tape
    this.#scanner = new Scanner(tape)
    this.#unpacker = new Unpacker(root)
    this.#reshape = reshape
    this.#bigIntegersAsStrings = bigIntegersAsStrings
    this.#mends = notes.mends
  }

  /** The bytes that the tape is of: the line's own where nothing had to change. Undefined with a `refusal`. */
  read(line: Buffer, start: number, end: number): Buffer | undefined {
    this.isRead = false
    if (!this.#scanner.scan(line, start, end)) {
      const { reason, at } = this.#scanner.failure
      this.refusal = scanRefusal(reason, at - start)
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
    if ((this.#tape.flags & FLAG.packed) !== 0) {
      // Unpacking decodes, which would replace an unpaired surrogate without counting it.
      if ((this.#tape.flags & FLAG.loneSurrogate) !== 0) {
        bytes = this.#mend(bytes, from, to)
        ;[from, to] = [0, bytes.length]
      }
      for (;;) {
        const open = this.#unpacker.unpack(this.#tape, bytes, from, to)
        if (open === undefined) break
        ;[bytes, from, to] = [open, 0, open.length]
        if (!this.#scanner.scan(bytes, from, to)) return undefined
      }
    }
    const bigInteger = this.#bigIntegersAsStrings ? FLAG.bigInteger : 0
    const unfit = FLAG.loneSurrogate | FLAG.hugeNumber | bigInteger
    return (this.#tape.flags & unfit) === 0 ? bytes : this.#mend(bytes, from, to)
  }

  #mend(bytes: Buffer, start: number, end: number): Buffer {
    const mended = mend(bytes, start, end, this.#bigIntegersAsStrings, this.#mends)
    this.#scanner.scan(mended, 0, mended.length)
    return mended
  }
}
