/** Errors of a whole Capture V1 request: the tag that a client branches on, and its status. */
const STATUS = {
  request_parsing_error: 400,
  request_decoding_error: 400,
  empty_body: 400,
  empty_batch: 400,
  invalid_batch: 400,
  missing_required_headers: 400,
  invalid_header_value: 400,
  missing_event_uuid: 400,
  invalid_event_uuid: 400,
  duplicate_event_uuid: 400,
  missing_authorization: 401,
  invalid_api_token: 401,
  billing_limit_exceeded: 402,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_content_type: 415,
  unsupported_encoding: 415,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
  gateway_timeout: 504,
} as const

export type V1Tag = keyof typeof STATUS

/** Seconds that the service asks a client to wait, wherever it asks at all. */
export const RETRY_AFTER = '1'

/** Why a Capture V1 request was refused as a whole. The message is its `error_description`. */
export class V1Refusal extends Error {
  readonly tag: V1Tag

  constructor(tag: V1Tag, description: string) {
    super(description)
    this.name = 'V1Refusal'
    this.tag = tag
  }

  get status(): number {
    return STATUS[this.tag]
  }

  /** The answer's body. */
  get body() {
    return { error: this.tag, error_description: this.message, error_uri: 'https://posthog.com/docs/api' }
  }

  /** True where the answer says when to try again. */
  get passes(): boolean {
    return this.status === 408 || this.status >= 500
  }
}
