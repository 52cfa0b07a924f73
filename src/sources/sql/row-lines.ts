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

/**
 * What writes rows as NDJSON, the columns as members in their order. Code `config` where two columns have one name: of two
 * members of one name readers take either.
 */
export function ndjsonWriter(
  names: readonly string[],
  { nulls, bigIntegersAsStrings }: LineOptions,
): (rows: readonly JsonRow[]) => Buffer {
  const twice = names.find((name, at) => names.indexOf(name) !== at)
  if (twice !== undefined) {
    throw new PosthaulError(`two columns are called ${JSON.stringify(twice)}`, {
      code: 'config',
      hint: 'give one of them another name in the query: AS',
    })
  }
  const members = names.map((name) => `${JSON.stringify(name)}:`)
  const line = (row: JsonRow) => {
    let text = ''
    for (const [at, value] of row.entries()) {
      if (value !== null || nulls) text += `${text === '' ? '{' : ','}${members[at]}${value}`
    }
    return `${text === '' ? '{' : text}}\n`
  }
  return (rows) => {
    const bytes = Buffer.from(rows.map(line).join(''))
    if (!bigIntegersAsStrings) return bytes
    return mend(bytes, 0, bytes.length, { bigIntegers: true, mends: noMends() })
  }
}
