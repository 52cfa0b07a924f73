import { createHash } from 'node:crypto'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'
import type { z } from 'zod'
import { type ErrorCode, ofOtherVersion, PosthaulError } from '../errors.ts'
import type { PutCondition } from '../store/store.ts'
import type { Cell } from './cell.ts'

/** The CRC-32 of a text, in 8 hex digits. */
export function crcOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

export interface Form {
  encode(value: unknown): string | Uint8Array
  /** Throws for bytes that hold no value in this form. */
  decode(bytes: Uint8Array): unknown
  /** True if bytes that can be decoded are known to be as they were written. */
  readonly proves: boolean
}

/** JSON in one line. */
export const JSON_LINE: Form = {
  encode: (value) => `${JSON.stringify(value)}\n`,
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')),
  proves: false,
}

/** A JSON object whose last member, `checksum`, is the SHA-256 of the others. */
const SUMMED: Form = {
  encode: (value) => JSON_LINE.encode({ ...(value as object), checksum: sumOf(value) }),
  decode: (bytes) => {
    const { checksum, ...rest } = JSON_LINE.decode(bytes) as Record<string, unknown>
    if (checksum !== sumOf(rest)) throw new Error('its checksum is another')
    return rest
  },
  proves: true,
}

// JSON.stringify writes parsed JSON in the order and spelling it was read.
function sumOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

/** JSON that is packed, for a value with a thousand members. */
export const GZIPPED: Form = {
  encode: (value) => gzipSync(JSON_LINE.encode(value)),
  decode: (bytes) => JSON_LINE.decode(gunzipSync(bytes)),
  proves: false,
}

export type Reading<T> = { readonly kind: 'whole'; readonly value: T } | Unreadable

export type Unreadable =
  /** It is in the form of another version. */
  | { readonly kind: 'other version' }
  | {
      readonly kind: 'damaged'
      readonly cause?: unknown
      /** The generation before it is damaged too. */
      readonly isPreviousToo?: boolean
    }
  /** Somebody's file, which no version of this program wrote. */
  | { readonly kind: 'foreign' }

export type StateRefusal = (address: string, reading: Unreadable) => PosthaulError

interface LoadedCell<T> {
  readonly value: T
  readonly version: string
  /** The newest generation was damaged, and this is the one before it. */
  readonly fellBack: boolean
}

interface CellSpec<T> {
  /** What the cell is: each has a name of its own. */
  readonly name: string
  readonly schema: z.ZodType<T>
  /** The version whose form the schema is: the first member of the file. */
  readonly version: number
  /** Default: JSON with a checksum, so that a wrong bit is never taken for what was written. */
  readonly form?: Form
  /** Tells damaged bytes from somebody's file. Without it, all that can't be read is damaged. */
  readonly isOurs?: (bytes: Uint8Array) => boolean
  /** The refusal of one that can't be read. Without it, one that can't be read is as good as none. */
  readonly refusal?: StateRefusal
}

/** A state of one value, that is replaced whole: its schema, its version, its form, and how it is refused. */
export class CellKind<T extends object> {
  readonly name: string
  readonly #spec: CellSpec<T>
  readonly #form: Form

  constructor(spec: CellSpec<T>) {
    this.name = spec.name
    this.#spec = spec
    this.#form = spec.form ?? SUMMED
  }

  /**
   * The value and the version to replace; undefined if there is none. Where the cell keeps the generation before the newest,
   * that one stands in for a newest that is damaged or missing. Throws what the kind says of one that can't be read.
   */
  async load(cell: Pick<Cell, 'address' | 'load' | 'previous'>): Promise<LoadedCell<T> | undefined> {
    const newest = await this.#readIn(cell)
    if (newest?.kind === 'whole') return { ...newest, fellBack: false }
    // Both are refused: another version may know more, and somebody's file isn't ours.
    const isLost = newest === undefined || newest.kind === 'damaged'
    const previous = isLost && cell.previous ? await this.#readIn(cell.previous) : undefined
    if (previous?.kind === 'whole') return { ...previous, fellBack: newest !== undefined }
    if (previous?.kind === 'other version') return this.#refuse(cell.previous!.address, previous)
    if (previous) return this.#refuse(cell.address, { kind: 'damaged', isPreviousToo: true })
    return newest && this.#refuse(cell.address, newest)
  }

  async #readIn(cell: Pick<Cell, 'load'>): Promise<(Reading<T> & { version: string }) | undefined> {
    const loaded = await cell.load()
    return loaded && { ...this.read(loaded.bytes), version: loaded.version }
  }

  #refuse(address: string, reading: Unreadable): undefined {
    const error = this.#spec.refusal?.(address, reading)
    if (error) throw error
  }

  /** Replaces the value, and returns the version of the new one. Code `mismatch` if the condition does not hold. */
  save(cell: Pick<Cell, 'put'>, value: T, condition?: PutCondition): Promise<string> {
    return cell.put(this.encode(value), condition)
  }

  encode(value: T): string | Uint8Array {
    return this.#form.encode({ version: this.#spec.version, ...value })
  }

  read(bytes: Uint8Array): Reading<T> {
    const { schema, version } = this.#spec
    let value: unknown
    try {
      value = this.#form.decode(bytes)
    } catch (cause) {
      return this.#spec.isOurs?.(bytes) === false ? { kind: 'foreign' } : { kind: 'damaged', cause }
    }
    const { version: said, ...rest } = (value ?? {}) as Record<string, unknown>
    const parsed = schema.safeParse(rest)
    if (parsed.success && said === version) return { kind: 'whole', value: parsed.data }
    const isOther = typeof said === 'number' && said !== version
    return isOther || this.#form.proves ? { kind: 'other version' } : { kind: 'damaged', cause: parsed.error }
  }
}

interface CellWords {
  readonly code: ErrorCode
  /** What the state is for, after "which": `says what is done`. */
  readonly says: string
  /** What else can be done, or what happens without the state: the end of the hint. */
  readonly otherwise?: string
}

/** The refusal of a state that another version wrote, or that is damaged: it is never taken for an empty one. */
export function refused({ code, says, otherwise = '' }: CellWords): StateRefusal {
  return (address, reading) => {
    if (reading.kind === 'other version') return ofOtherVersion(address, code, otherwise)
    const { cause, isPreviousToo } = reading.kind === 'damaged' ? reading : {}
    const also = isPreviousToo ? ', and so is the generation before it' : ''
    return new PosthaulError(`${address}, which ${says}, is damaged${also}`, {
      code,
      hint: `restore it from a backup${otherwise}`,
      cause,
    })
  }
}

interface PieceSpec<T> {
  /** What the piece is: each has a name of its own. */
  readonly name: string
  /** The text of the file: what it says, who made it, and a checksum of both. */
  seal(said: T): string
  /** What a text says, whether it is whole or not. Throws for one that says nothing. */
  open(text: string): T
}

interface ReadPiece<T> {
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
