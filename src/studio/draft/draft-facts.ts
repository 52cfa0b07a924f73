import type { InputFile } from '../../inputs/input-file.ts'
import type { factsOf } from '../first-mapping.ts'
import { comment } from './yaml-text.ts'

/** What is known of some inputs, and what a mapping file is written from. */
export type Facts = Awaited<ReturnType<typeof factsOf>>

/** True for a member that a field, a group or a property with a name of PostHog's is taken from. */
export function isRole(name: string, { roles }: Facts): boolean {
  return Object.values(roles)
    .flat()
    .some((cast) => cast?.profile.member.name === name)
}

/** A place of an event that no member was found for. */
export type Missing = 'event' | 'distinct_id' | 'timestamp'

/** A question on lines of its own. */
export function askedApart(text: string): string[] {
  return [...comment(text, '', '# ? '), '']
}

export interface MappingDraft {
  readonly lines: readonly string[]
  readonly missing: readonly Missing[]
}

const GENERIC =
  /^(?:stdin|events?|data|dataset|rows?|records?|results?|tables?|query|untitled|sheet|book|test|sample|log|logs|all|full|new|final|my.?data|raw|csv|json)[-_ ]?\d*$|^\d+$/i
const PEOPLE =
  /^(?:contacts?|customers?|users?|leads?|people|persons?|profiles?|subscribers?|members?|clients?|kontakte|kunden|nutzer|benutzer)$/i
/** Words around the name of a table that tell nothing of its rows. */
const AROUND = /^(?:export(?:s|ed)?|all|list|tables?|dump|backup|full|new|final|data|csv|public|crm|v)$|^$/i

/**
 * The one table that all files are of. A name that any file could have says nothing, nor that of the folder around it. `isPeople`: a
 * row is what is known of one, and nothing that happened.
 */
export function tableName(inputs: readonly InputFile[]) {
  const tables = new Set(inputs.map(({ table }) => table))
  const [name] = tables
  if (name === undefined || tables.size > 1 || GENERIC.test(name)) return undefined
  if (!inputs.every((input) => input.name.includes(name))) return undefined
  const words = name.split(/[^\p{L}]+|(?<=\p{Ll})(?=\p{Lu})/u).filter((word) => !AROUND.test(word))
  return { name, isPeople: PEOPLE.test(words.at(-1) ?? '') }
}
