import { type ErrorDetails, PosthaulError } from '../errors.ts'

export interface VendorErrorDetails extends ErrorDetails {
  /** The HTTP status, if it says what is wrong. */
  readonly status?: number
}

/**
 * A vendor answered without data. The fate `retry`: ask again. `reject`: this window cannot be fetched, but others can.
 * `stop`: nothing can be fetched until the user changes something.
 */
export class VendorError extends PosthaulError {
  readonly status: number | undefined

  constructor(message: string, details: VendorErrorDetails) {
    super(message, details)
    this.name = 'VendorError'
    this.status = details.status
  }
}

/** The error for an answer that is not complete: it does not become a part, and is requested again. */
export function cutShort(message: string, cause?: unknown): VendorError {
  return new VendorError(message, { code: 'unavailable', fate: 'retry', cause })
}
