import { isObject, type JsonObject, Refusal } from './strict-json.ts'

const MAX_LENGTH = 64

/** The project key of a request, trimmed; Refusal (401) unless it has the shape of one. */
export function checkToken(token: string): string {
  const key = token.trim()
  const reason = flawOfToken(key)
  if (reason) throw new Refusal(401, `API key is not valid: ${reason}`)
  return key
}

/** What keeps a text from being a project key; undefined if nothing does. */
export function flawOfToken(key: string): string | undefined {
  if (key === '') return 'empty'
  if (Buffer.byteLength(key) > MAX_LENGTH) return 'too_long'
  if (/[^\0-\x7f]/.test(key)) return 'not_ascii'
  if (key.startsWith('phx_')) return 'personal_api_key'
  return key.includes('\0') ? 'null_byte' : undefined
}

/** The key that events sent without an envelope agree on. */
export function tokenOfEvents(events: readonly JsonObject[]): string {
  const tokens = new Set(events.map(tokenOfEvent).filter((token) => token !== undefined))
  if (tokens.size > 1) throw new Refusal(401, 'batch submitted with inconsistent api_key values')
  const [token] = tokens
  if (token === undefined) throw new Refusal(401, 'event submitted without an api_key')
  return token
}

function tokenOfEvent(event: JsonObject): string | undefined {
  const own = event.token ?? event.api_key ?? event.$token
  if (typeof own === 'string') return own
  const inner = isObject(event.properties) ? event.properties.token : undefined
  return typeof inner === 'string' ? inner : undefined
}
