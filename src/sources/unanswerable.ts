import { VendorError } from './vendor-client.ts'

/** A vendor's API can't be asked for this chart. The message says why, as a sentence without its full stop. */
export class Unanswerable extends VendorError {
  constructor(message: string) {
    super(message, { code: 'usage' })
    this.name = 'Unanswerable'
  }
}
