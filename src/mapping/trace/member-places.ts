import { keys } from '../../record/index.ts'
import type { Rule } from '../compile.ts'
import { HASHED, KEPT, MENDED } from '../fates.ts'

/** The link between two ids, which is no part of the event. */
const LINK = 'link'

const PREFIX: Readonly<Record<string, string>> = {
  property: 'properties.',
  set: 'properties.$set.',
  once: 'properties.$set_once.',
}

/** Fates that say that something was made of a value, and not what. */
const UNTOLD: ReadonlySet<string> = new Set(['used: properties', 'person: $set', 'person: $set_once'])

/** True when a member's fates leave open where in the event it went. */
export function isUntold(fates: readonly string[]): boolean {
  return fates.some((fate) => UNTOLD.has(fate))
}

/**
 * The places of an event that a member's value went to, as its fates tell. `made`: places that change with the value, for
 * fates that don't.
 */
export function tracedPlaces(
  { name, rule }: { readonly name: string; readonly rule: Rule },
  fates: readonly string[],
  made: readonly string[] | undefined,
): string[] {
  const places = fates.flatMap((fate): readonly string[] => {
    if (fate === KEPT) return [`properties.${name}`]
    const renamed = /^renamed: (.*)$/s.exec(fate)?.[1]
    if (renamed !== undefined) return [`properties.${renamed}`]
    const person = /^person: (\$set(?:_once)?\..*)$/s.exec(fate)?.[1]
    if (person !== undefined) return [`properties.${person}`]
    if (fate === MENDED || fate === HASHED) return emitted(rule, name)
    if (UNTOLD.has(fate)) return made ?? [fate === 'used: properties' ? 'properties' : personOf(fate)]
    return usedPlace(fate)
  })
  return [...new Set(places)]
}

function personOf(fate: string): string {
  return `properties.${fate.slice('person: '.length)}`
}

function emitted({ emits }: Rule, name: string): string[] {
  return emits.map(({ into, key, prefix }) => {
    return `${PREFIX[into]}${key === undefined ? prefix + name : keys.text(key)}`
  })
}

function usedPlace(fate: string): readonly string[] {
  const used = /^used: (.*)$/s.exec(fate)?.[1]
  if (used === undefined) return []
  if (used === 'anonymous_id') return [LINK]
  return [used.startsWith('$') ? `properties.${used}` : used]
}
