import { z } from 'zod'

/** An object as it was parsed. A schema that copies its members would drop one that is called `__proto__`. */
export const membersSchema = z.custom<Readonly<Record<string, z.core.util.JSONType>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
)

/** What says something: neither null nor an empty text, list or object. */
export type Given<T> = { [K in keyof T]?: NonNullable<T[K]> }

/** The members that say something. */
export function given<T extends object>(members: T): Given<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => says(value))) as Given<T>
}

/** The same for what a row has no field for: undefined if there is nothing. */
export function more(members: object): { [name: string]: z.core.util.JSONType } | undefined {
  const said = given(members) as { [name: string]: z.core.util.JSONType }
  return says(said) ? said : undefined
}

function says(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false
  return typeof value !== 'object' || Object.keys(value).length > 0
}
