import { completeCountry } from './country.ts'
import type { EventDraft } from './draft.ts'
import { deriveFromUrls } from './url-properties.ts'

/** Adds what the properties that are there tell, as the service's own libraries would have sent it. */
export function derive(draft: EventDraft): void {
  deriveFromUrls(draft)
  completeCountry(draft)
}
