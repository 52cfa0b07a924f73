import type { Context } from 'hono'

/** An error of the project API; the four members are its JSON body. */
export class ApiError extends Error {
  readonly status: number
  readonly type: string
  readonly code: string
  readonly attr: string | null

  constructor(status: number, body: { type: string; code: string; detail: string; attr?: string }) {
    super(body.detail)
    this.name = 'ApiError'
    this.status = status
    this.type = body.type
    this.code = body.code
    this.attr = body.attr ?? null
  }
}

export const notFound = (detail = 'Not found.'): ApiError =>
  new ApiError(404, { type: 'invalid_request', code: 'not_found', detail })

export const notAllowed = (method: string): ApiError => {
  const detail = `Method "${method}" not allowed.`
  return new ApiError(405, { type: 'invalid_request', code: 'method_not_allowed', detail })
}

export const serverError = (status = 500): ApiError =>
  new ApiError(status, { type: 'server_error', code: 'error', detail: 'A server error occurred.' })

export const invalid = (detail: string, attr?: string, code = 'invalid_input'): ApiError =>
  new ApiError(400, { type: 'validation_error', code, detail, ...(attr && { attr }) })

export const unauthenticated = (detail: string, code: string): ApiError =>
  new ApiError(401, { type: 'authentication_error', code, detail })

export const forbidden = (detail: string): ApiError =>
  new ApiError(403, { type: 'authentication_error', code: 'permission_denied', detail })

export const throttled = (detail: string, code = 'throttled'): ApiError =>
  new ApiError(429, { type: 'throttled_error', code, detail })

/** Answers an ApiError in the service's form. */
export function sendApiError(c: Context, error: ApiError): Response {
  const { type, code, message, attr } = error
  return c.json({ type, code, detail: message, attr }, error.status as 400)
}

const PAGE_SIZE = 100

/** The page of a list that `limit` and `offset` of the request name, with links to its neighbours. */
export function offsetPage<T>(c: Context, all: readonly T[], pageSize = PAGE_SIZE) {
  const limit = positive(c.req.query('limit')) ?? pageSize
  const offset = positive(c.req.query('offset')) ?? 0
  const link = (to: number): string => {
    const url = new URL(c.req.url)
    url.searchParams.set('limit', String(limit))
    if (to > 0) url.searchParams.set('offset', String(to))
    else url.searchParams.delete('offset')
    return url.href
  }
  return {
    count: all.length,
    next: offset + limit < all.length ? link(offset + limit) : null,
    previous: offset > 0 ? link(offset - limit) : null,
    results: all.slice(offset, offset + limit),
  }
}

/** As in the service, what is no number, or none above 0, counts as absent. */
function positive(text: string | undefined): number | undefined {
  const value = Number(text)
  return text && Number.isSafeInteger(value) && value > 0 ? value : undefined
}
