import { createHash } from 'node:crypto'
import { crc32, gunzipSync, gzipSync } from 'node:zlib'

/** The CRC-32 of a text, in 8 hex digits. */
export function crcOf(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** How a value is spelled in a file. */
export interface Form {
  encode(value: unknown): string | Uint8Array
  /** Throws for bytes that hold no value in this form. */
  decode(bytes: Uint8Array): unknown
  /** True if bytes that can be decoded are known to be as they were written. */
  readonly proves: boolean
}

/** JSON in one piece. `indent`: spaces before each member; `end`: what follows the value. */
export function json({ indent, end = '\n' }: { readonly indent?: number; readonly end?: string } = {}): Form {
  return {
    encode: (value) => `${JSON.stringify(value, undefined, indent)}${end}`,
    decode: (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')),
    proves: false,
  }
}

const INDENTED = json({ indent: 1 })

/** An indented JSON object whose last member, `checksum`, is the SHA-256 of the others. */
export const SUMMED: Form = {
  encode: (value) => INDENTED.encode({ ...(value as object), checksum: sumOf(value) }),
  decode: (bytes) => {
    const { checksum, ...rest } = INDENTED.decode(bytes) as Record<string, unknown>
    if (checksum !== sumOf(rest)) throw new Error('its checksum is another')
    return rest
  },
  proves: true,
}

// The hash is of the compact form: JSON.stringify writes parsed JSON in the order and spelling it was read.
function sumOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex')
}

const BARE = json({ end: '' })

/** JSON that is packed, for a value with a thousand members. */
export const GZIPPED: Form = {
  encode: (value) => gzipSync(BARE.encode(value)),
  decode: (bytes) => BARE.decode(gunzipSync(bytes)),
  proves: false,
}
