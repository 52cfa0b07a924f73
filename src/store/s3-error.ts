import { PosthaulError } from '../errors.ts'
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

/** A failed request: the error's name, the HTTP status, and how often it was tried. */
interface S3Failure {
  readonly name: string
  readonly status: number | undefined
  readonly attempts: number
}

export function failureOf(error: unknown): S3Failure {
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
  const cannot = `cannot ${doing} ${address}`
  const said = error instanceof Error ? error.message : String(error)
  if (name === 'NoSuchBucket') {
    return new PosthaulError(`${cannot}: there is no such bucket`, {
      code: 'input',
      hint: 'check the name, and AWS_ENDPOINT_URL_S3 when the bucket is not at AWS',
      cause: error,
    })
  }
  if (isNoUpload(error)) {
    return new PosthaulError(`${cannot}: its upload was ended before it was known to be whole`, {
      code: 'unavailable',
      hint: 'run the same command again',
      cause: error,
    })
  }
  if (status === 404) {
    return new PosthaulError(`${cannot}: there is no such file`, {
      code: 'input',
      hint: 'check the address for a typing error',
      cause: error,
    })
  }
  if (AUTH.has(name) || status === 401 || status === 403) {
    return new PosthaulError(`${cannot}: ${said || 'permission denied'}`, {
      code: 'auth',
      hint: 'check the credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, or the role of this machine',
      cause: error,
    })
  }
  if (/region is missing/i.test(said)) {
    return new PosthaulError(`${cannot}: the region of the bucket is not set`, {
      code: 'config',
      hint: 'set AWS_REGION',
      cause: error,
    })
  }
  if (status === 301 || status === 307 || name === 'PermanentRedirect') {
    return new PosthaulError(`${cannot}: the bucket is in another region`, {
      code: 'config',
      hint: "set AWS_REGION to the bucket's own",
      cause: error,
    })
  }
  // An error without a request is a bug, and keeps its own stack.
  if (status === undefined && error instanceof TypeError) return error
  return new PosthaulError(`${cannot}: ${said}`, {
    code: error instanceof NetworkError ? error.code : 'unavailable',
    hint: (error instanceof NetworkError && error.hint) || 'run the same command again',
    cause: error,
  })
}
