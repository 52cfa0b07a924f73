export { crcOf } from './form.ts'

export interface PieceSpec<T> {
  /** What the piece is: each has a name of its own. */
  readonly name: string
  /** The text of the file: what it says, who made it, and a checksum of both. */
  seal(said: T): string
  /** What a text says, whether it is whole or not. Throws for one that says nothing. */
  open(text: string): T
}

/** What is in the place of a piece. */
export interface ReadPiece<T> {
  /** Undefined if it says nothing. */
  readonly said: T | undefined
  /** It is just as it was sealed. */
  readonly isWhole: boolean
}

/** A state that is written once by whoever made it, and taken only when it is whole. */
export class PieceKind<T> {
  readonly name: string
  readonly #spec: PieceSpec<T>

  constructor(spec: PieceSpec<T>) {
    this.name = spec.name
    this.#spec = spec
  }

  seal(said: T): Buffer {
    return Buffer.from(this.#spec.seal(said))
  }

  read(bytes: Uint8Array): ReadPiece<T> {
    let said: T
    let sealed: Buffer
    try {
      said = this.#spec.open(Buffer.from(bytes).toString('utf8'))
      sealed = this.seal(said)
    } catch {
      return { said: undefined, isWhole: false }
    }
    return { said, isWhole: sealed.equals(bytes) }
  }
}
