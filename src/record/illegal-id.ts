/** Distinct ids, in small letters, of which the service makes no person: libraries send them when they know no user. */
const ILLEGAL: ReadonlySet<string> = new Set([
  ...'0 00000000-0000-0000-0000-000000000000 anonymous anonymous-user backend distinct_id'.split(' '),
  ...'distinctid email false guest id nan none not_authenticated null system true undefined user'.split(' '),
  '[object object]',
  '',
])

/** True for a distinct id of which the service makes no person. */
export function isIllegalId(distinctId: string): boolean {
  return ILLEGAL.has(distinctId.trim().toLowerCase())
}
