import { type ErrorDetails, PosthaulError } from '../errors.ts'

export interface VendorErrorDetails extends ErrorDetails {
  /** The HTTP status, when it is one that says what is wrong. */
  readonly status?: number
}

/**
 * What a vendor answered in place of data. `retry`: ask again. `reject`: this window cannot be fetched, others can.
 * `stop`: nothing can be had until the user changes something.
 */
export class VendorError extends PosthaulError {
  readonly status: number | undefined

  constructor(message: string, details: VendorErrorDetails) {
    super(message, details)
    this.name = 'VendorError'
    this.status = details.status
  }
}

/** The error for an answer that came and is not whole: it becomes no part, and is asked for again. */
export function cutShort(message: string, cause?: unknown): VendorError {
  return new VendorError(message, { code: 'unavailable', fate: 'retry', cause })
}
