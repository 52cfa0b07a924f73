import { isUtf8 } from 'node:buffer'
import { Refusal } from '../ingest/refusal.ts'
import { BATCH_GRAMMAR, type Grammar, type NumericIds, scanStrictly } from './scan.ts'

/** A request body that the service's own parser accepts. */
export interface ParsedBody {
  readonly value: unknown
  readonly numericIds: NumericIds
}

/** Parses a body as strictly as the service does; Refusal says why not. Numbers become doubles. */
export function parseBody(bytes: Buffer, grammar: Grammar = BATCH_GRAMMAR): ParsedBody {
  if (!isUtf8(bytes)) throw new Refusal(400, 'failed to decode request: invalid UTF8 in request payload')
  // The scan comes before JSON.parse, so that a body of nothing but brackets costs no memory.
  const numericIds = scanStrictly(bytes, grammar)
  try {
    return { value: JSON.parse(bytes.toString()), numericIds }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Refusal(400, `failed to parse request: ${reason}`)
  }
}

export type JsonObject = { readonly [key: string]: unknown }

/** True for what JSON calls an object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
