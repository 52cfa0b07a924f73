import type { WarningsFound } from '../audit/warnings-found.ts'
import { PosthaulError } from '../errors.ts'
import { warningText } from '../report/warnings.ts'
import type { Api } from '../service/api.ts'
import { askWarnings, tracedWarnings } from './ask-warnings.ts'
import type { ImportSettings } from './import-settings.ts'

/** Asks the project something, for a limited time. */
type Ask = <T>(work: (api: Api) => Promise<T>) => Promise<T>

/** What the service warns of while an import runs: each type is told once, and so is that it can't be asked. */
export class WarningWatch {
  readonly #projectId: string
  readonly #note: (text: string) => void
  readonly #since = new Date().toISOString()
  readonly #told = new Set<string>()
  #isRefused = false

  constructor(projectId: string, note: (text: string) => void) {
    this.#projectId = projectId
    this.#note = note
  }

  /** Asks, and tells what is new. */
  async look(api: Api): Promise<void> {
    if (this.#isRefused) return
    const { warnings, unasked } = await askWarnings(api, this.#projectId, this.#since)
    if (unasked !== undefined) {
      this.#isRefused = true
      this.#note(`ingestion warnings could not be asked for: ${unasked}`)
    }
    for (const warning of warnings) {
      if (this.#told.has(warning.type)) continue
      this.#told.add(warning.type)
      this.#note(`PostHog warns: ${warningText(warning)}`)
    }
  }

  /** All warnings since the run began, with an example of each traced to its line. Undefined if they can't be asked. */
  async end(ask: Ask, { input }: ImportSettings, stop: AbortSignal): Promise<WarningsFound | undefined> {
    if (this.#isRefused) return undefined
    const paths = input.kind === 'dataset' ? [input.path] : input.files
    try {
      const found = await ask((api) => askWarnings(api, this.#projectId, this.#since))
      return await tracedWarnings(found, paths, stop)
    } catch (error) {
      // The events are sent: that nobody told why some are not stored is no failure.
      if (error instanceof PosthaulError || stop.aborted) return undefined
      throw error
    }
  }
}
