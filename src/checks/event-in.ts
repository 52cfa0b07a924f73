import { isJsonObject, type JsonObject } from '../text/json.ts'

/** An event of an input, as it was sent. */
export interface SentEvent {
  readonly uuid: string
  readonly event: string
  readonly distinct_id: string
  /** `2024-03-01T12:34:56.789123Z` */
  readonly timestamp: string
  readonly properties: JsonObject
}

/**
 * The event that the text of an event line holds. Undefined for a line that somebody made by hand, which is no JSON behind
 * its head, or whose properties are no object: the service judges it.
 */
export function eventIn(text: string, parse: (json: string) => unknown = JSON.parse): SentEvent | undefined {
  try {
    const event = parse(text)
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

const TEXTS = ['uuid', 'event', 'distinct_id', 'timestamp']

function isEvent(value: unknown): value is SentEvent {
  return (
    isJsonObject(value) &&
    isJsonObject(value.properties) &&
    TEXTS.every((name) => typeof value[name] === 'string')
  )
}
