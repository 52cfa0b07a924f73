import { createHash } from 'node:crypto'
import { type ErrorCode, PosthaulError } from '../errors.ts'
import { LineFramer } from '../record/index.ts'
import type { Store } from './store.ts'

export interface LinesPieceSpec {
  /** What the file is: each has a name of its own. */
  readonly name: string
  readonly code: ErrorCode
  /** What is wrong with one that is not whole: ` is not what the manifest names`. */
  readonly wrong: string
  readonly hint: string
}

/** A file of JSON lines that is written once, as a whole. */
export class LinesPiece {
  readonly name: string
  readonly #spec: LinesPieceSpec

  constructor(spec: LinesPieceSpec) {
    this.name = spec.name
    this.#spec = spec
  }

  /**
   * Reads the lines in order, some at a time: there may be millions. `parse` is given each with its number, from 1, and
   * returns undefined for one that is left out. Throws for a line that can't be read, and at the end for a file that has not
   * the sha256 that is named: nothing may be said of the lines before.
   */
  async *read<T>(
    store: Store,
    { file, sha256 }: { readonly file: string; readonly sha256?: string },
    parse: (value: unknown, line: number) => T | undefined,
  ): AsyncGenerator<readonly T[]> {
    const { code, wrong, hint } = this.#spec
    const damaged = (why: string, cause?: unknown) =>
      new PosthaulError(`${store.address(file)}${wrong}: ${why}`, { code, hint, cause })
    const hash = createHash('sha256')
    const some: T[] = []
    const taken = () => some.splice(0)
    const framer = new LineFramer({
      line(bytes, start, end, _offset, line) {
        try {
          const value = parse(JSON.parse(bytes.toString('utf8', start, end)), line)
          if (value !== undefined) some.push(value)
        } catch (cause) {
          throw damaged(`line ${line} can't be read`, cause)
        }
      },
      tooLong(_offset, _length, line) {
        throw damaged(`line ${line} is too long`)
      },
    })
    for await (const chunk of store.read(file)) {
      hash.update(chunk)
      framer.push(chunk)
      yield taken()
    }
    framer.end()
    yield taken()
    if (sha256 !== undefined && hash.digest('hex') !== sha256) throw damaged('its sha256 is another')
  }
}
