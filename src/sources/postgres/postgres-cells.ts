import type { ReadCall } from '../sql/database.ts'
import { bytesCell, jsonCell, numberCell } from '../sql/sql-cells.ts'

/** Makes JSON of the text of a value; null for what JSON has nothing for. */
export type PostgresCell = (text: string) => string | null

/** A type as the catalog has it. */
export interface PostgresType {
  /** Of the server's own types the name in the catalog: `int8`. Empty for types of users. */
  readonly name: string
  /** `array` and `domain` are of the type `of`. */
  readonly kind: 'plain' | 'array' | 'domain' | 'composite'
  readonly of: string
  /** What is between an array's elements: a comma, but for boxes. */
  readonly delimiter: string
  /** Those of a composite type, in their order. */
  readonly attributes: readonly (readonly [name: string, type: string])[]
}

/** The JSON of a column's values. `types` has its type by OID, and all that this one is made of. */
export function postgresCell(
  oid: string,
  types: ReadonlyMap<string, PostgresType>,
  at: { readonly column: string; readonly call: Pick<ReadCall, 'notFinite'> },
): PostgresCell {
  const type = types.get(oid)
  switch (type?.kind) {
    case 'domain':
      return postgresCell(type.of, types, at)
    case 'array': {
      const element = postgresCell(type.of, types, at)
      return (text) => new Composed(text).array(type.delimiter, element)
    }
    case 'composite': {
      const members = type.attributes.map(
        ([name, of]) => [`${JSON.stringify(name)}:`, postgresCell(of, types, at)] as const,
      )
      return (text) => new Composed(text).composite(members)
    }
    default: {
      const special = SPECIAL[type?.name ?? '']
      return special ? (text) => special(text, at.column, at.call) : JSON.stringify
    }
  }
}

/** Types that are more than a text in JSON. */
const SPECIAL: Readonly<
  Record<string, (text: string, column: string, call: Pick<ReadCall, 'notFinite'>) => string | null>
> = {
  ...Object.fromEntries(
    ['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'].map((name) => [name, numberCell]),
  ),
  bool: (text) => (text === 't' ? 'true' : 'false'),
  json: jsonCell,
  jsonb: jsonCell,
  bytea: (text) => bytesCell(Buffer.from(text.slice(2), 'hex')),
  timestamptz: instantCell,
}

/** ISO 8601 of an instant that the server tells in UTC. Infinity, BC and years over 9999 stay as they are. */
function instantCell(text: string): string {
  const plain = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?\+00$/.test(text)
  return JSON.stringify(plain ? `${text.slice(0, 10)}T${text.slice(11, -3)}Z` : text)
}

/**
 * Reads the text of arrays, `{1,NULL,"a \"b\""}`, and of composite types, `(1,,"a ""b""")`:
 * https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO and rowtypes.html#ROWTYPES-IO-SYNTAX.
 */
class Composed {
  readonly #text: string
  #at = 0

  constructor(text: string) {
    this.#text = text
  }

  array(delimiter: string, element: PostgresCell): string {
    // Before the first brace are the bounds of an array that does not begin at 1.
    this.#at = this.#text.indexOf('{', this.#at) + 1
    const items: (string | null)[] = []
    while (this.#text[this.#at] !== '}') {
      if (this.#text[this.#at] === '{') items.push(this.array(delimiter, element))
      else {
        const isQuoted = this.#text[this.#at] === '"'
        const value = this.#value(delimiter, '}')
        items.push(!isQuoted && value === 'NULL' ? null : element(value))
      }
      if (this.#text[this.#at] === delimiter) this.#at++
    }
    this.#at++
    return `[${items.map((item) => item ?? 'null').join(',')}]`
  }

  composite(members: readonly (readonly [name: string, cell: PostgresCell])[]): string {
    const items = members.map(([name, cell]) => {
      this.#at++
      const begun = this.#at
      const value = this.#value(',', ')')
      return `${name}${(this.#at === begun ? null : cell(value)) ?? 'null'}`
    })
    return `{${items.join(',')}}`
  }

  /** A value up to what ends it. */
  #value(...ends: readonly string[]): string {
    let value = ''
    while (!ends.includes(this.#text[this.#at] ?? ends[0]!)) {
      value += this.#text[this.#at] === '"' ? this.#quoted() : this.#text[this.#at++]
    }
    return value
  }

  #quoted(): string {
    let value = ''
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const character = this.#text[this.#at]
      if (character === '\\') value += this.#text[++this.#at]
      else if (character !== '"') value += character
      else if (this.#text[this.#at + 1] === '"') value += this.#text[++this.#at]
      else break
    }
    this.#at++
    return value
  }
}
