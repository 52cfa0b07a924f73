/**
 * The service's own list: distinct ids, in small letters, of which it makes no person. Capture V1 stores their events
 * without one. All of them stand for nobody here too: see nobody.ts, which has words besides that the service takes.
 */
export const ILLEGAL_IDS: ReadonlySet<string> = new Set([
  ...'0 00000000-0000-0000-0000-000000000000 anonymous anonymous-user backend distinct_id'.split(' '),
  ...'distinctid email false guest id nan none not_authenticated null system true undefined user'.split(' '),
  '[object object]',
  '',
])

/** Ids that the service joins to nobody, as its pipeline lists them: these in any case, those below as they are. */
const NEVER_JOINED: ReadonlySet<string> = new Set(
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' '),
)
const NEVER_JOINED_SO: ReadonlySet<string> = new Set([
  ...'NaN None none null 0'.split(' '),
  '[object Object]',
  '',
])

/** True for a distinct id of which the service makes no person. */
export function isIllegalId(distinctId: string): boolean {
  return ILLEGAL_IDS.has(distinctId.trim().toLowerCase())
}

/** True for an id that an identity event may name without joining anybody: the service refuses the merge, and no more. */
export function isNeverJoined(id: string): boolean {
  return NEVER_JOINED_SO.has(id.trim()) || NEVER_JOINED.has(id.toLowerCase())
}
