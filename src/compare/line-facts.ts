import { findMember, type Key, KIND, keyOf, Scanner, Tape, valueText } from '../record/index.ts'
import { type MemberPath, SpanHash } from '../sources/index.ts'

const WORD = 32n

/** Hashes of ids, of 64 bits: two of ten million ids have one hash with a chance of three in a million. */
export class IdHash {
  readonly #hash = new SpanHash()

  ofText(text: string): bigint {
    const bytes = Buffer.from(text)
    return this.of(bytes, [0, bytes.length])
  }

  /** The hash of spans of bytes, each from a start to an end: `[start, end, start, end]`. */
  of(bytes: Buffer, spans: readonly number[]): bigint {
    const hash = this.#hash
    hash.reset()
    for (let i = 0; i + 1 < spans.length; i += 2) hash.add(bytes, spans[i]!, spans[i + 1]!)
    return (BigInt(hash.high >>> 0) << WORD) | BigInt(hash.low >>> 0)
  }
}

/** The names that lead to a member, as the scanner knows them. */
export function keysOfPath(path: MemberPath): readonly Key[] {
  return path.map(keyOf)
}

/** Reads single members of a record or an event line. Not reentrant. */
export class LineFacts {
  readonly #tape = new Tape()
  readonly #scanner = new Scanner(this.#tape)
  #bytes: Buffer = Buffer.alloc(0)

  /** Begins with a line; false for one that is no JSON object. */
  begin(bytes: Buffer, start: number, end: number): boolean {
    this.#bytes = bytes
    const isRecord = this.#scanner.scan(bytes, start, end)
    if (!isRecord) this.#tape.count = 0
    return isRecord
  }

  /** The text of a value: strings decoded, the rest as it is written. Undefined for null, and for a member that isn't there. */
  text(path: readonly Key[]): string | undefined {
    const tape = this.#tape
    const at = findMember(tape, path)
    if (at < 0) return undefined
    const kind = tape.kind(at)
    if (kind !== KIND.object && kind !== KIND.array) return valueText(tape, this.#bytes, at)
    return this.#bytes.toString('utf8', tape.start(at), tape.end(at))
  }

  /** The first text that one of the paths leads to; empty texts are none. */
  first(paths: ReadonlyArray<readonly Key[]>): string | undefined {
    for (const path of paths) {
      const text = this.text(path)
      if (text !== undefined && text !== '') return text
    }
    return undefined
  }

  /** Where the values of the paths are, for a hash; undefined if one is missing. */
  spans(paths: ReadonlyArray<readonly Key[]>): number[] | undefined {
    const spans: number[] = []
    for (const path of paths) {
      const at = findMember(this.#tape, path)
      if (at < 0) return undefined
      spans.push(this.#tape.start(at), this.#tape.end(at))
    }
    return spans
  }
}
