import { type ErrorCode, PosthaulError } from '../errors.ts'
import { NetworkError } from '../http/network-error.ts'

const AUTH = new Set([
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'ExpiredTokenException',
  'InvalidToken',
  'TokenRefreshRequired',
  'Forbidden',
  'CredentialsProviderError',
])

/** Of a failed request: the error's name, the HTTP status, and how often it was tried. */
export function failureOf(error: unknown) {
  const { name = '', $metadata = {} } = (error ?? {}) as {
    name?: string
    $metadata?: { httpStatusCode?: number; attempts?: number }
  }
  return { name, status: $metadata.httpStatusCode, attempts: $metadata.attempts ?? 1 }
}

/** True if the bucket is there, and has no such object. */
export function isMissing(error: unknown): boolean {
  const { status, name } = failureOf(error)
  return status === 404 && name !== 'NoSuchBucket'
}

/** True if the bucket itself says so: where a file is taken for absent, work begins anew, and a 404 can be a proxy's page. */
export function isNoSuchKey(error: unknown): boolean {
  return isMissing(error) && failureOf(error).name === 'NoSuchKey'
}

/** The error for an answer that lacks what each bucket says: a page of a network's login answers 200 too. */
export function noBucket(doing: string, address: string): PosthaulError {
  return new PosthaulError(`cannot ${doing} ${address}: what answered is no bucket`, {
    code: 'unavailable',
    hint: 'check AWS_ENDPOINT_URL_S3, and what is between here and the service; then run the same command again',
  })
}

/** True if an upload in parts is no longer there: it was completed, or somebody ended it. */
export function isNoUpload(error: unknown): boolean {
  return failureOf(error).name === 'NoSuchUpload'
}

/** A failed request in the user's words. `doing` completes "cannot …": `read`, `write`, `list`. */
export function s3Error(error: unknown, doing: string, address: string): unknown {
  if (error instanceof PosthaulError && !(error instanceof NetworkError)) return error
  const { name, status } = failureOf(error)
  const said = error instanceof Error ? error.message : String(error)
  const told = (code: ErrorCode, what: string, hint: string) =>
    new PosthaulError(`cannot ${doing} ${address}: ${what}`, { code, hint, cause: error })
  if (name === 'NoSuchBucket') {
    const hint = 'check the name, and AWS_ENDPOINT_URL_S3 when the bucket is not at AWS'
    return told('input', 'there is no such bucket', hint)
  }
  if (isNoUpload(error)) {
    const what = 'its upload was ended before it was known to be whole'
    return told('unavailable', what, 'run the same command again')
  }
  if (status === 404) return told('input', 'there is no such file', 'check the address for a typing error')
  if (AUTH.has(name) || status === 401 || status === 403)
    return told('auth', said || 'permission denied', KEYS)
  if (/region is missing/i.test(said))
    return told('config', 'the region of the bucket is not set', 'set AWS_REGION')
  if (status === 301 || status === 307 || name === 'PermanentRedirect')
    return told('config', 'the bucket is in another region', "set AWS_REGION to the bucket's own")
  // An error without a request is a bug, and keeps its own stack.
  if (status === undefined && error instanceof TypeError) return error
  const { code, hint = undefined } = error instanceof NetworkError ? error : { code: 'unavailable' as const }
  return told(code, said, hint ?? 'run the same command again')
}

const KEYS =
  'check the credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of this machine'
