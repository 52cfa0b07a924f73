import { visible } from '../../text/visible.ts'
import type { Check } from '../check-data.ts'
import type { Kind } from '../problem-kinds.ts'
import type { TypesFit } from '../types-fit.ts'

/** What is so, and what the user can do about it: a command, a line of the mapping file, or a deed. */
export interface Words {
  readonly text: string
  readonly remedy?: string | undefined
}

/** What the words of a problem are made of. */
export interface About {
  readonly check: Check
  readonly fit: TypesFit | undefined
  /** The names of the problem, the first six of them, as a terminal may show them. */
  readonly some: string
  readonly names: readonly string[]
  readonly count: number
}

/** The words of some kinds of problem. */
export type WordTable<K extends Kind> = Readonly<Record<K, (about: About) => Words>>

/** So many names are shown; JSON has them all. */
const SHOWN = 6

/** The first of the names. */
export function listed(names: readonly string[]): string {
  return names.slice(0, SHOWN).map(visible).join(', ') + (names.length > SHOWN ? ', …' : '')
}

/** A remedy that is a line of the mapping file. */
export function mappingLine(line: string): string {
  return `in the mapping file: ${line}`
}

/** A name as YAML takes it in a flow mapping. */
export function yamlName(name: string): string {
  return visible(JSON.stringify(name))
}
