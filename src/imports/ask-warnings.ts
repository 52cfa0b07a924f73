import { type FoundWarning, tellingOf, type WarningsFound, warningText } from '../checks/words/warnings.ts'
import { failureOf, PosthaulError } from '../errors.ts'
import type { Api } from '../service/api.ts'
import { type IngestionWarning, ingestionWarnings } from '../service/ingestion-warnings.ts'

/** Asks what the service warned of since then. That it can't be asked is said in the answer, and is no failure. */
export async function askWarnings(api: Api, projectId: string, since: string): Promise<WarningsFound> {
  try {
    const told = await ingestionWarnings(api, projectId, since)
    return { since, unasked: null, types: told.map(found) }
  } catch (error) {
    return unaskedWarnings(since, failureOf(error))
  }
}

/** Why they could not be asked for, and what to do. */
function unaskedWarnings(since: string, { message, hint }: PosthaulError): WarningsFound {
  const help = hint ?? 'posthaul verify asks for them again'
  return { since, unasked: `${message}; ${help}`, types: [] }
}

function found({ type, severity, sampled, examples: [example], by }: IngestionWarning): FoundWarning {
  return { type, severity, sampled, example: example?.uuid ?? null, ...(by.length > 0 && { by }) }
}

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
    const { types } = await this.end()
    for (const warning of tellingOf(types)) {
      if (this.#told.has(warning.type)) continue
      this.#told.add(warning.type)
      this.#note(`PostHog warns: ${warningText(warning)}`)
    }
  }

  /** All warnings since the run began, or why they could not be asked for. */
  async end(): Promise<WarningsFound> {
    try {
      return await this.#ask((api) => askWarnings(api, this.#projectId, this.#since))
    } catch (error) {
      if (error instanceof PosthaulError) return unaskedWarnings(this.#since, error)
      throw error
    }
  }
}
