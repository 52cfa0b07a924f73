import { isUtf8 } from 'node:buffer'
import { parsedOrNone } from '../../text/json.ts'

/** Why an ingestion request was refused as a whole: the status and the plain text that the service answers. */
export class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.name = 'Refusal'
    this.status = status
  }
}

/** Digits of numeric ids as they were written, by the event's place in the request. */
type NumericIds = ReadonlyMap<number, { readonly top?: string; readonly inner?: string }>

// The service's parser fails at the 128th level.
const MAX_DEPTH = 127
// Where the service looks at no level, this one does at the level at which V8 might fail to write the value again.
const MAX_RAW_DEPTH = 1000
// A number of fewer characters and without an exponent is in the range of a double.
const SURELY_FINITE = 300

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d
const OPEN_ARRAY = 0x5b
const CLOSE_ARRAY = 0x5d
const COMMA = 0x2c
const MINUS = 0x2d

const DISTINCT_ID = 'distinct_id'

/** What a container is in a request; the keys of `top`, `event` and `properties` matter. In `raw` nothing does. */
type Role = 'top' | 'events' | 'event' | 'properties' | 'raw' | 'other'

interface Container {
  readonly role: Role
  readonly isObject: boolean
  /** Keys so far, aliases as one; absent where repetition is allowed. */
  readonly keys: Set<string> | undefined
  key: string
  /** True when the next string is a key. */
  awaitsKey: boolean
}

/** The route that reads a body. Capture V1 passes properties on unread, so that nothing in them is refused. */
type Grammar = 'batch' | 'v1'

/** Other names of keys on /batch/ and its kin: a key that comes again under another name is refused too. */
const ALIASES = new Map([
  ['api_key', 'token'],
  ['$token', 'token'],
  ['$distinct_id', DISTINCT_ID],
])

/**
 * Finds what JSON.parse accepts and the service's parser refuses: nesting that is too deep, unpaired surrogate
 * escapes, numbers beyond the range of a double, repeated keys at the top of a request or an event. Throws a Refusal
 * for the first of them. JSON.parse runs next and finds broken JSON.
 */
class Scan {
  readonly #bytes: Uint8Array
  readonly #grammar: Grammar
  readonly #ids = new Map<number, { top?: string; inner?: string }>()
  readonly #stack: Container[] = []
  #at = 0
  /** The index of the event that is being read. A request that is not a list is its own first event. */
  #event = 0

  constructor(bytes: Uint8Array, grammar: Grammar) {
    this.#bytes = bytes
    this.#grammar = grammar
  }

  get #inRaw(): boolean {
    return this.#stack.at(-1)?.role === 'raw'
  }

  run(): NumericIds {
    const bytes = this.#bytes
    while (this.#at < bytes.length) {
      const byte = bytes[this.#at]!
      if (byte === QUOTE) this.#string()
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.#open(byte === OPEN_OBJECT)
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) {
        this.#stack.pop()
        this.#at++
      } else if (byte === COMMA) {
        const container = this.#stack.at(-1)
        if (container?.isObject) container.awaitsKey = true
        this.#at++
      } else if (byte === MINUS || (byte >= 0x30 && byte <= 0x39)) this.#number()
      else this.#at++
    }
    return this.#ids
  }

  #open(isObject: boolean): void {
    const role = this.#roleOf(this.#stack.at(-1), isObject)
    if (this.#stack.length >= (role === 'raw' ? MAX_RAW_DEPTH : MAX_DEPTH))
      this.#refuse('recursion limit exceeded')
    if (role === 'events') this.#event = -1
    if (role === 'event') this.#event++
    const keys = isObject && (role === 'event' || role === 'top') ? new Set<string>() : undefined
    this.#stack.push({ role, isObject, keys, key: '', awaitsKey: isObject })
    this.#at++
  }

  #string(): void {
    const bytes = this.#bytes
    const start = ++this.#at
    let escaped = false
    while (this.#at < bytes.length && bytes[this.#at] !== QUOTE) {
      if (bytes[this.#at] === BACKSLASH) {
        escaped = true
        this.#escape()
      } else this.#at++
    }
    const end = this.#at++
    const container = this.#stack.at(-1)
    if (!container?.awaitsKey) return
    container.awaitsKey = false
    if (container.role !== 'other' && container.role !== 'raw') this.#key(container, start, end, escaped)
  }

  #key(container: Container, start: number, end: number, escaped: boolean): void {
    const { keys } = container
    // Inside properties only distinct_id matters, and most other keys have another length.
    if (!keys && !escaped && end - start !== DISTINCT_ID.length) {
      container.key = ''
      return
    }
    const text = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset + start, end - start).toString()
    const key = escaped ? ((parsedOrNone(`"${text}"`) as string | undefined) ?? text) : text
    if (!keys) {
      container.key = key
      return
    }
    container.key = (this.#grammar === 'batch' && ALIASES.get(key)) || key
    if (keys.has(container.key)) this.#refuse(`duplicate field \`${key}\``)
    keys.add(container.key)
  }

  /** Steps over one escape; a surrogate must be the first half of a pair that follows at once. */
  #escape(): void {
    const unit = this.#unit(this.#at)
    if (unit === undefined || this.#inRaw) {
      this.#at += 2
      return
    }
    if (unit >= 0xdc00 && unit <= 0xdfff) this.#refuse('lone trailing surrogate in hex escape')
    this.#at += 6
    if (unit < 0xd800 || unit > 0xdbff) return
    const second = this.#unit(this.#at)
    if (second === undefined || second < 0xdc00 || second > 0xdfff) {
      this.#refuse('lone leading surrogate in hex escape')
    }
    this.#at += 6
  }

  /** The code unit of a four-digit escape at `at`, or undefined when there is none. */
  #unit(at: number): number | undefined {
    if (this.#bytes[at] !== BACKSLASH || this.#bytes[at + 1] !== 0x75) return undefined
    const digits = String.fromCharCode(...this.#bytes.subarray(at + 2, at + 6))
    return /^[0-9a-fA-F]{4}$/.test(digits) ? Number.parseInt(digits, 16) : undefined
  }

  #number(): void {
    const bytes = this.#bytes
    const start = this.#at
    let exponent = false
    while (this.#at < bytes.length && isNumberByte(bytes[this.#at]!)) {
      if ((bytes[this.#at]! | 0x20) === 0x65) exponent = true
      this.#at++
    }
    const container = this.#stack.at(-1)
    if (container?.role === 'raw') return
    const isId = container?.key === DISTINCT_ID && container.role !== 'other'
    if (!exponent && !isId && this.#at - start < SURELY_FINITE) return
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, this.#at - start).toString('latin1')
    if (Math.abs(Number(text)) === Number.POSITIVE_INFINITY) this.#refuse('number out of range')
    if (!isId) return
    const ids = this.#ids.get(this.#event) ?? {}
    ids[container.role === 'properties' ? 'inner' : 'top'] = text
    this.#ids.set(this.#event, ids)
  }

  #roleOf(parent: Container | undefined, isObject: boolean): Role {
    if (parent === undefined) return isObject ? 'top' : 'events'
    if (parent.role === 'raw') return 'raw'
    if (parent.role === 'events' && isObject) return 'event'
    if (parent.role === 'top' && parent.key === 'batch' && !isObject) return 'events'
    if ((parent.role === 'event' || parent.role === 'top') && parent.key === 'properties' && isObject) {
      return this.#grammar === 'v1' ? 'raw' : 'properties'
    }
    return 'other'
  }

  #refuse(reason: string): never {
    const lines = Buffer.from(this.#bytes.subarray(0, this.#at)).toString('latin1').split('\n')
    const where = `line ${lines.length} column ${lines.at(-1)!.length + 1}`
    throw new Refusal(400, `failed to parse request: ${reason} at ${where}`)
  }
}

function isNumberByte(byte: number): boolean {
  return (byte >= 0x2b && byte <= 0x39 && byte !== COMMA && byte !== 0x2f) || (byte | 0x20) === 0x65
}

/** A request body that the service's own parser accepts. */
export interface ParsedBody {
  readonly value: unknown
  readonly numericIds: NumericIds
}

/** Parses a body as strictly as the service does; Refusal says why not. Numbers become doubles. */
export function parseBody(bytes: Buffer, grammar: Grammar = 'batch'): ParsedBody {
  if (!isUtf8(bytes)) throw new Refusal(400, 'failed to decode request: invalid UTF8 in request payload')
  // The scan comes before JSON.parse, so that a body of nothing but brackets costs no memory.
  const numericIds = new Scan(bytes, grammar).run()
  try {
    return { value: JSON.parse(bytes.toString()), numericIds }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(400, `failed to parse request: ${reason}`)
  }
}
