import type { FoundWarning, WarningsFound } from '../checks/verification.ts'
import { warningText } from '../checks/words/warnings.ts'
import { PosthaulError } from '../errors.ts'
import { type EventPlace, eventsByUuid } from '../records/events-by-uuid.ts'
import type { Api } from '../service/api.ts'
import { type IngestionWarning, ingestionWarnings } from '../service/ingestion-warnings.ts'
import type { SourceOrder } from './import-order.ts'

/** What the service answered, with all of its examples. */
interface AskedWarnings extends WarningsFound {
  readonly told: readonly IngestionWarning[]
}

/** Asks what the service warned of since then. That it can't be asked is said in the answer, and is no failure. */
export async function askWarnings(api: Api, projectId: string, since: string): Promise<AskedWarnings> {
  try {
    const told = await ingestionWarnings(api, projectId, since)
    return { since, unasked: null, types: told.map((one) => found(one)), told }
  } catch (error) {
    if (!(error instanceof PosthaulError) || error.code === 'interrupted') throw error
    return unaskedWarnings(since, error)
  }
}

/** Why they could not be asked for, and what to do. */
function unaskedWarnings(since: string, { message, hint }: PosthaulError): AskedWarnings {
  const help = hint ?? 'posthaul verify asks for them again'
  return { since, unasked: `${message}; ${help}`, types: [], told: [] }
}

/**
 * The same, with an example of each traced to its file and line in the inputs. They are read once, if there is a need. Where
 * they can't be read, as in a dataset without events, the examples have no lines: that is no failure.
 */
export async function tracedWarnings(
  { told, ...asked }: AskedWarnings,
  paths: readonly string[],
  stop: AbortSignal,
): Promise<WarningsFound> {
  const uuids = new Set(told.flatMap(({ examples }) => examples.map(({ uuid }) => uuid)))
  if (uuids.size === 0) return asked
  const places = await eventsByUuid(uuids, paths, stop).catch((error: unknown) => {
    if (!(error instanceof PosthaulError) || stop.aborted) throw error
    return new Map<string, EventPlace>()
  })
  return { ...asked, types: told.map((one) => found(one, places)) }
}

/** A warning with the first of its examples that is in the inputs, or the first of all. */
function found(
  { type, severity, sampled, examples }: IngestionWarning,
  places: ReadonlyMap<string, EventPlace> = new Map(),
): FoundWarning {
  const example = examples.find(({ uuid }) => places.has(uuid)) ?? examples[0]
  if (!example) return { type, severity, sampled, example: null }
  const { file = null, line = null } = places.get(example.uuid) ?? {}
  return { type, severity, sampled, example: { uuid: example.uuid, file, line } }
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
    const { types } = await this.#asked()
    for (const warning of types) {
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
      if (!stop.aborted) throw error
      const { told: _, ...untraced } = found
      return untraced
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
