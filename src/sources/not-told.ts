import type { Untold } from '../around/index.ts'
import { VendorError, type VendorErrorDetails } from './vendor-client.ts'

/** A vendor has no answer to this question, and may have one to others. */
export class NotTold extends VendorError {
  constructor(message: string, details: VendorErrorDetails) {
    super(message, details)
    this.name = 'NotTold'
  }
}

/** What was asked for, or why there is no answer. */
export async function orUntold<T>(asked: Promise<T>): Promise<T | Untold> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof NotTold) return { untold: error.message }
    throw error
  }
}

export function isUntold(told: object): told is Untold {
  return 'untold' in told
}
