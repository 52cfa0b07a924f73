import { isObject } from '../../json/parse.ts'

/** The options of an event that the service knows; each becomes a property. */
export interface V1Options {
  readonly cookieless_mode?: boolean | undefined
  readonly disable_skew_correction?: boolean | undefined
  readonly process_person_profile?: boolean | undefined
  readonly product_tour_id?: string | undefined
}

const FLAGS = ['cookieless_mode', 'disable_skew_correction', 'process_person_profile'] as const
const TRUE = new Set(['true', '1'])
const FALSE = new Set(['false', '0'])

/** Reads an event's options as the newest servers do, which take near forms of a boolean. Undefined if they are wrong. */
export function readOptions(raw: unknown): V1Options | undefined {
  if (raw === undefined || raw === null) return {}
  if (!isObject(raw)) return undefined
  const options: { -readonly [Key in keyof V1Options]: V1Options[Key] } = {}
  for (const name of FLAGS) {
    const value = raw[name] ?? undefined
    if (value === undefined) continue
    const flag = asBoolean(value)
    if (flag === undefined) return undefined
    options[name] = flag
  }
  const tour = raw.product_tour_id ?? undefined
  if (tour === undefined) return options
  if (typeof tour !== 'string' && !Number.isInteger(tour)) return undefined
  return { ...options, product_tour_id: String(tour) }
}

function asBoolean(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (typeof value === 'number') return value !== 0
  if (typeof value !== 'string') return undefined
  const word = value.trim().toLowerCase()
  if (TRUE.has(word)) return true
  return FALSE.has(word) ? false : undefined
}
