import { PosthaulError } from '../../errors.ts'
import { mend, noMends } from '../../record/index.ts'
import type { JsonRow } from './database.ts'

/** How rows become lines. */
export interface LineOptions {
  /** Whether NULL is written, or the member left out. */
  readonly nulls: boolean
  /** Whole numbers over 2^53 and numbers over 17 digits as strings. */
  readonly bigIntegersAsStrings: boolean
}

/** Writes rows as NDJSON, the columns as members in their order. */
export class RowLines {
  readonly #members: readonly string[]
  readonly #options: LineOptions

  /** Code `config` where two columns have one name: of two members of one name readers take either. */
  constructor(names: readonly string[], options: LineOptions) {
    const twice = names.find((name, at) => names.indexOf(name) !== at)
    if (twice !== undefined) {
      throw new PosthaulError(`two columns are called ${JSON.stringify(twice)}`, {
        code: 'config',
        hint: 'give one of them another name in the query: AS',
      })
    }
    this.#members = names.map((name) => `${JSON.stringify(name)}:`)
    this.#options = options
  }

  linesOf(rows: readonly JsonRow[]): Buffer {
    const text = rows.map((row) => this.#line(row)).join('')
    const bytes = Buffer.from(text)
    if (!this.#options.bigIntegersAsStrings) return bytes
    return mend(bytes, 0, bytes.length, { bigIntegers: true, mends: noMends() })
  }

  #line(row: JsonRow): string {
    let text = ''
    for (const [at, value] of row.entries()) {
      if (value === null && !this.#options.nulls) continue
      text += `${text === '' ? '{' : ','}${this.#members[at]}${value}`
    }
    return `${text === '' ? '{' : text}}\n`
  }
}
