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

export const serverError = (): ApiError =>
  new ApiError(500, { type: 'server_error', code: 'error', detail: 'A server error occurred.' })

export const invalid = (detail: string, attr?: string, code = 'invalid_input'): ApiError =>
  new ApiError(400, { type: 'validation_error', code, detail, ...(attr && { attr }) })

/** Answers an ApiError in the service's form. */
export function sendApiError(c: Context, error: ApiError): Response {
  const { type, code, message, attr } = error
  return c.json({ type, code, detail: message, attr }, error.status as 400)
}
