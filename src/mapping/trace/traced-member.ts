import { members as cutMembers } from '../../record/index.ts'

/** Objects of properties whose own members are places. */
export const HOLDERS = ['$set', '$set_once']

/** A name of the record and its value. */
export interface TracedMember {
  /** `properties.plan`. Of an object that a preset reshapes or text that it opens, the path in the result. */
  readonly path: string
  /** JSON as the record has it; of a value in a list of names and values, as the preset reads it: a number without quotes. */
  readonly value: string
  /** The words of docs/members.md; more than one where the value goes to several places. None unless there is an event. */
  readonly fates: readonly string[]
  /** Places of the event that hold the value or were made from it; `link` for the link between two ids. */
  readonly to: readonly string[]
  /** Where the rules stand: `preset mixpanel: properties.$browser`, `mapping file: properties.rename.plan`. */
  readonly rules: readonly string[]
}

/** What is said of a member that only the rule for all others meets. */
export const NO_RULE = 'no rule names it'

/** The places of an event's properties with their values as JSON, in their order. */
export function propertyPlaces(properties: string): Array<readonly [place: string, value: string]> {
  return cutMembers(properties).flatMap(([property, json]): Array<readonly [string, string]> => {
    const place = `properties.${property}`
    if (!HOLDERS.includes(property) || !json.startsWith('{')) return [[place, json]]
    return cutMembers(json).map(([inner, own]) => [`${place}.${inner}`, own])
  })
}
