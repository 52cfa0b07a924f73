import { Countries } from './country.ts'
import type { EventDraft } from './draft.ts'
import { UrlProperties } from './url-properties.ts'

/** Adds to a draft what the properties that are there tell, as the service's own libraries would have sent it. */
export class Derived {
  readonly #urls: UrlProperties
  readonly #countries: Countries

  constructor(draft: EventDraft) {
    this.#urls = new UrlProperties(draft)
    this.#countries = new Countries(draft)
  }

  add(): void {
    this.#urls.derive()
    this.#countries.complete()
  }
}
