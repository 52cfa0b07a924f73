import type { Mapping } from '../../src/mapping/mapping.ts'
import { formatInstant } from '../../src/record/time.ts'
import { timeReader } from '../../src/record/time-format.ts'
import { asText, type Json, rewritten } from './json.ts'

type Target = NonNullable<NonNullable<Mapping['types']>[string]>

/** A record with the text at a path read as the mapping file says. */
export function typed(
  record: Json,
  [name, ...below]: readonly string[],
  target: Target,
  mapping: Mapping,
): Json {
  return rewritten(record, (value, own) => {
    if (own !== name) return value
    if (below.length > 0) return value[0] === '{' ? typed(value, below, target, mapping) : value
    const isNumber = /^[-\d]/.test(value) && /^(?:boolean|time)$/.test(target.type!)
    return value !== '""' && (value[0] === '"' || isNumber)
      ? (readAs(asText(value), target, mapping) ?? value)
      : value
  })
}

/** The JSON that a text is; undefined for one of another type. */
function readAs(
  text: string,
  { type, separator = ',', formats }: Target,
  mapping: Mapping,
): Json | undefined {
  const bare = text.trim()
  switch (type) {
    case 'boolean':
      return ['true', 't', '1', 'false', 'f', '0'].includes(bare.toLowerCase())
        ? String(/^[t1]/i.test(bare))
        : undefined
    case 'list':
      return JSON.stringify(text.split(separator))
    case 'time':
      try {
        const day = /^\d{4}-\d\d-\d\d$/.test(bare) ? `${bare}T00:00` : bare
        return `"${formatInstant(timeReader(formats ?? mapping.timeFormats, mapping.sourceTimezone)(day))}"`
      } catch {
        return undefined
      }
  }
  try {
    const value: unknown = JSON.parse(bare)
    return type === 'json' || typeof value === 'number' ? bare.replace(/[\r\n]/g, ' ') : undefined
  } catch {
    return undefined
  }
}
