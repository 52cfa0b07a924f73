import { type WarningsFound, warningText } from '../../checks/index.ts'
import { PosthaulError } from '../../errors.ts'
import type { Api } from '../../service/index.ts'
import { type AskedWarnings, askWarnings, tracedWarnings, unaskedWarnings } from './ask-warnings.ts'
import type { SourceOrder } from './import-order.ts'

/** Asks the project something, for a limited time. */
type Ask = <T>(work: (api: Api) => Promise<T>) => Promise<T>

/** What the service warns of while an import runs: each type is told once. That it can't be asked is told at the end. */
export class WarningWatch {
  readonly #projectId: string
  readonly #ask: Ask
  readonly #note: (text: string) => void
  readonly #since = new Date().toISOString()
  readonly #told = new Set<string>()

  constructor(projectId: string, ask: Ask, note: (text: string) => void) {
    this.#projectId = projectId
    this.#ask = ask
    this.#note = note
  }

  /** Asks, and tells what is new. */
  async look(): Promise<void> {
    const { warnings } = await this.#asked()
    for (const warning of warnings) {
      if (this.#told.has(warning.type)) continue
      this.#told.add(warning.type)
      this.#note(`PostHog warns: ${warningText(warning)}`)
    }
  }

  /** All warnings since the run began, with an example of each traced to its line, or why they could not be asked for. */
  async end({ input }: Pick<SourceOrder, 'input'>, stop: AbortSignal): Promise<WarningsFound> {
    const found = await this.#asked()
    try {
      return await tracedWarnings(found, input.kind === 'dataset' ? [input.path] : input.files, stop)
    } catch (error) {
      // The events are sent: that nobody could read the lines of the examples is no failure.
      if (stop.aborted) return found
      throw error
    }
  }

  async #asked(): Promise<AskedWarnings> {
    try {
      return await this.#ask((api) => askWarnings(api, this.#projectId, this.#since))
    } catch (error) {
      if (error instanceof PosthaulError) return unaskedWarnings(this.#since, error)
      throw error
    }
  }
}
