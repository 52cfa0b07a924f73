import { PosthaulError } from '../errors.ts'

/** The scanner refuses a record that is nested deeper, and a value in its properties is two levels down. */
const MOST_DEPTH = 98

/**
 * The JSON text of a value, exactly: a bigint keeps its digits, -0 its sign, a value with `toJSON` (a Date, a Decimal) is
 * what that returns. A member that is undefined is left out, as in JSON. What JSON can't say is an error, code `input`,
 * that names the member: NaN and Infinity, functions, symbols, invalid dates, undefined in an array, Map, Set and other
 * objects whose content no member shows, what refers to itself. `name` is what messages call the value.
 */
export function jsonTextOf(value: unknown, name: string): string {
  const text = new Writer(name).write(value)
  if (text === undefined) throw new PosthaulError(`${name} is undefined`, UNFIT)
  return text
}

const UNFIT = { code: 'input', fate: 'reject' } as const

class Writer {
  /** The members and indexes that lead to the value under way. */
  readonly #path: (string | number)[]

  constructor(name: string) {
    this.#path = [name]
  }

  /** Undefined for a value that is undefined, also by its `toJSON`. */
  write(value: unknown): string | undefined {
    try {
      return this.#text(value, '')
    } catch (cause) {
      if (cause instanceof PosthaulError) throw cause
      // The program's own code: a getter, a toJSON, a proxy.
      throw this.#unfit(`could not be read: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
    }
  }

  #text(value: unknown, key: string): string | undefined {
    switch (typeof value) {
      case 'string':
        return this.#quoted(value)
      case 'number':
        if (!Number.isFinite(value)) throw this.#unfit(`is ${value}, which JSON does not have`)
        return Object.is(value, -0) ? '-0' : String(value)
      case 'boolean':
      case 'bigint':
        return String(value)
      case 'undefined':
        return undefined
      case 'object':
        return value === null ? 'null' : this.#object(value, key)
      default:
        throw this.#unfit(`is a ${typeof value}, which JSON does not have`)
    }
  }

  #quoted(text: string): string {
    try {
      return JSON.stringify(text)
    } catch (cause) {
      throw this.#unfit('is too long a text', cause)
    }
  }

  #object(value: object, key: string): string | undefined {
    if (this.#path.length > MOST_DEPTH) throw this.#unfit('is nested too deep, or refers to itself')
    if (value instanceof Date && Number.isNaN(value.getTime())) throw this.#unfit('is an invalid date')
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      const { toJSON } = value
      const made: unknown = toJSON.call(value, key)
      if (made === value) throw this.#unfit('has a toJSON that returns the object itself')
      return this.#text(made, key)
    }
    if (Array.isArray(value)) return this.#array(value)
    const kind = Object.prototype.toString.call(value)
    if (kind !== '[object Object]') throw this.#unfit(`is a ${kind.slice(8, -1)}: its content would be lost`)
    return this.#members(value)
  }

  #array(values: readonly unknown[]): string {
    const texts: string[] = []
    for (let index = 0; index < values.length; index++) {
      this.#path.push(index)
      const text = this.#text(values[index], String(index))
      if (text === undefined) throw this.#unfit('is undefined, and an array has no place for that')
      texts.push(text)
      this.#path.pop()
    }
    return `[${texts.join(',')}]`
  }

  #members(value: object): string {
    let text = '{'
    for (const name of Object.keys(value)) {
      this.#path.push(name)
      const member = this.#text((value as Record<string, unknown>)[name], name)
      if (member !== undefined) text += `${text.length > 1 ? ',' : ''}${this.#quoted(name)}:${member}`
      this.#path.pop()
    }
    return `${text}}`
  }

  #unfit(why: string, cause?: unknown): PosthaulError {
    const [name, ...rest] = this.#path
    const steps = rest.slice(0, 8).map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    const where = `${name}${steps.join('')}${rest.length > 8 ? '…' : ''}`
    return new PosthaulError(`${where} ${why}`, { ...UNFIT, ...(cause !== undefined && { cause }) })
  }
}
