import type { People, RecordIds } from '../../mapping/index.ts'
import { cleanDistinctId } from '../../record/index.ts'
import { digestOf, IdSet } from './id-set.ts'

/** All ids that are forgotten. Crosses threads: the cells are shared, not copied. */
export interface ForgottenIds {
  readonly salt: string
  readonly cells: Uint32Array<SharedArrayBuffer>
}

/** Texts in JSON, cells of a table, and bare words: whatever could be an id in a record that can't be read. */
const QUOTED = /"((?:[^"\\]|\\.)*)"/gs
const CELLS = /[",;\t\r\n]+/
const WORDS = /[\s",;:[\]{}]+/
const DEVICE_PREFIX = '$device:'

/** Leaves out the records of forgotten people. */
export class Forgotten implements People {
  readonly #ids: IdSet
  readonly #salt: string

  constructor({ salt, cells }: ForgottenIds) {
    this.#ids = new IdSet(cells)
    this.#salt = salt
  }

  leavesOut({ distinctId, links }: RecordIds): boolean {
    // An alias of someone who is forgotten names them. So does a merge.
    return this.isForgotten(distinctId) || links.some(({ from, firm }) => firm && this.isForgotten(from))
  }

  isForgotten(id: string): boolean {
    return this.#ids.has(digestOf(this.#salt, id))
  }

  /** True if any text in a refused record is the id of someone who is forgotten. */
  isNamedIn(record: string): boolean {
    for (const [, text] of record.matchAll(QUOTED)) if (this.#isId(unescaped(text!))) return true
    return [CELLS, WORDS].some((apart) => record.split(apart).some((text) => this.#isId(text)))
  }

  #isId(text: string): boolean {
    const id = cleanDistinctId(text.startsWith(DEVICE_PREFIX) ? text.slice(DEVICE_PREFIX.length) : text)
    return typeof id === 'string' && this.isForgotten(id)
  }
}

function unescaped(text: string): string {
  if (!text.includes('\\')) return text
  try {
    return JSON.parse(`"${text}"`) as string
  } catch {
    return text
  }
}
