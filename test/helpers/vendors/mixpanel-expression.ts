/*
 * Mixpanel's segmentation expressions by the grammar of docs.mixpanel.com/reference/segmentation-expressions. A string's
 * escapes are those of JSON.
 */

type Value = string | number | boolean | undefined | readonly unknown[]
type Properties = Readonly<Record<string, unknown>>
export type Expression = (properties: Properties) => Value

const TOKEN =
  /\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)|([A-Za-z_]\w*)|(==|!=|>=|<=|[<>()[\]]))/y

/** Throws for text that is no expression. */
export function expression(text: string): Expression {
  const tokens = tokensOf(text)
  const parser = new Parser(tokens)
  const parsed = parser.either()
  if (!parser.isDone) throw new SyntaxError(`left over in ${text}`)
  return parsed
}

function tokensOf(text: string): string[] {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  for (let at = 0; at < text.trimEnd().length; at = TOKEN.lastIndex) {
    const found = TOKEN.exec(text)
    if (!found) throw new SyntaxError(`not an expression at ${at}: ${text}`)
    tokens.push(found[0].trim())
  }
  return tokens
}

class Parser {
  #at = 0
  readonly #tokens: readonly string[]

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens
  }

  get isDone(): boolean {
    return this.#at === this.#tokens.length
  }

  either(): Expression {
    let left = this.#both()
    while (this.#take('or')) {
      const [a, b] = [left, this.#both()]
      left = (of) => a(of) === true || b(of) === true
    }
    return left
  }

  #both(): Expression {
    let left = this.#negated()
    while (this.#take('and')) {
      const [a, b] = [left, this.#negated()]
      left = (of) => a(of) === true && b(of) === true
    }
    return left
  }

  #negated(): Expression {
    if (!this.#take('not')) return this.#compared()
    const inner = this.#negated()
    return (of) => inner(of) !== true
  }

  #compared(): Expression {
    const left = this.#single()
    for (const [sign, holds] of COMPARISONS) {
      if (!this.#take(sign)) continue
      const right = this.#single()
      return (of) => holds(left(of), right(of))
    }
    return left
  }

  #single(): Expression {
    const token = this.#tokens[this.#at++]
    if (token === undefined) throw new SyntaxError('the expression ends early')
    if (token.startsWith('"')) return constant(JSON.parse(token) as string)
    if (/^-?\d/.test(token)) return constant(Number(token))
    if (token === 'true' || token === 'false') return constant(token === 'true')
    if (token === '(') return this.#closed(this.either(), ')')
    if (token === 'properties') {
      this.#expect('[')
      const name = JSON.parse(this.#tokens[this.#at++] ?? '') as string
      return this.#closed((of) => plain(of[name]), ']')
    }
    const cast = CASTS[token]
    if (!cast) throw new SyntaxError(`unknown word ${token}`)
    this.#expect('(')
    const inner = this.#closed(this.either(), ')')
    return (of) => cast(inner(of))
  }

  #closed(inner: Expression, sign: string): Expression {
    this.#expect(sign)
    return inner
  }

  #expect(sign: string): void {
    if (!this.#take(sign)) throw new SyntaxError(`${sign} is missing`)
  }

  #take(sign: string): boolean {
    const isThere = this.#tokens[this.#at] === sign
    if (isThere) this.#at++
    return isThere
  }
}

const constant = (value: Value) => () => value

function plain(value: unknown): Value {
  if (value === null || value === undefined) return undefined
  return typeof value === 'object' ? (Array.isArray(value) ? value : JSON.stringify(value)) : (value as Value)
}

const COMPARISONS: readonly (readonly [string, (a: Value, b: Value) => boolean])[] = [
  ['==', (a, b) => a === b],
  ['!=', (a, b) => a !== b],
  ['>=', (a, b) => a !== undefined && b !== undefined && a >= b],
  ['<=', (a, b) => a !== undefined && b !== undefined && a <= b],
  ['>', (a, b) => a !== undefined && b !== undefined && a > b],
  ['<', (a, b) => a !== undefined && b !== undefined && a < b],
  ['in', (a, b) => (Array.isArray(b) ? b.includes(a) : typeof b === 'string' && b.includes(String(a)))],
]

const CASTS: Readonly<Record<string, (value: Value) => Value>> = {
  string: (value) => (value === undefined ? undefined : String(value)),
  number: (value) => {
    const cast = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
    return Number.isFinite(cast) ? cast : undefined
  },
  boolean: (value) => Boolean(value),
  defined: (value) => value !== undefined,
}
