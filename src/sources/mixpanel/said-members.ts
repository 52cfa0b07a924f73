import { z } from 'zod'
import { restOf } from '../../around/index.ts'

/** An object as it was parsed. A schema that copies its members would drop one that is called `__proto__`. */
export const membersSchema = z.custom<Readonly<Record<string, z.core.util.JSONType>>>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'expected an object',
)

/** The fields of a row that say something. */
export type Given<T> = { [K in keyof T]?: NonNullable<T[K]> }

export function given<T extends object>(fields: T): Given<T> {
  return (restOf(fields as Readonly<Record<string, unknown>>, []) ?? {}) as Given<T>
}
