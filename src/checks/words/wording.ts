import { visible } from '../../text/visible.ts'
import { firstFew } from '../../text/words.ts'
import type { CheckFacts } from '../check-data.ts'
import type { CheckFinding, Finding, RestsOn } from '../finding.ts'

/** What is so, and what the user can do about it. */
export type Words = Pick<CheckFinding, 'text' | 'remedy'>

/** The same of a sample, of which not all wants something done. */
export type SampleWords = Pick<Finding, 'text' | 'remedy'>

/** What is known of a problem of events, by whoever has read some. */
export interface EventAbout {
  /** The names of the problem, the first six of them, as a terminal may show them. */
  readonly some: string
  readonly names: readonly string[]
  readonly count: number
  /** Not all events were read. */
  readonly isSampled: boolean
  /** Younger events, from this instant (microseconds) on, can be billed as live ones. */
  readonly youngFrom: number
  /** The events lie in files of the service's own events, so no transform makes them. */
  readonly isOfFiles: boolean
}

export interface About extends EventAbout {
  readonly check: CheckFacts
}

/** How much a kind of problem matters, what that rests on, and what is said of it. */
export interface Wording<A = About, W = Words> extends Pick<CheckFinding, 'level' | 'restsOn'> {
  readonly say: (about: A) => W
}

function on(restsOn: RestsOn) {
  const at =
    (level: CheckFinding['level']) =>
    <A, W>(say: (about: A) => W): Wording<A, W> => ({ level, restsOn, say })
  return { error: at('error'), warning: at('warning'), note: at('note') }
}

export const byData = on('data')
export const byDocument = on('document')
export const byProject = on('project')

/** So many names are shown; JSON has them all. */
const SHOWN = 6

/** The first of the names. */
export function listed(names: readonly string[]): string {
  return firstFew(names.map(visible), SHOWN)
}

/** A remedy that is a line of the mapping file. */
export function mappingLine(line: string): string {
  return `in the mapping file: ${line}`
}

/** A name as YAML takes it in a flow mapping. */
export function yamlName(name: string): string {
  return visible(JSON.stringify(name))
}

/** Those of the sentences that there is something to say in. */
export function sentences(...all: readonly (string | false)[]): string[] {
  return all.filter((sentence) => sentence !== false)
}
