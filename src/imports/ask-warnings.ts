import { tellingOf, type WarningsFound, warningText } from '../checks/words/warnings.ts'
import { failureOf, PosthaulError } from '../errors.ts'
import type { AskedProject } from '../service/api.ts'
import { ingestionWarnings } from '../service/ingestion-warnings.ts'

/** Asks what the service warned of since then. That it can't be asked is said in the answer, and is no failure. */
export async function askWarnings(project: AskedProject, since: string): Promise<WarningsFound> {
  try {
    return { since, unasked: null, types: await ingestionWarnings(project, since) }
  } catch (error) {
    return unaskedWarnings(since, failureOf(error))
  }
}

/** Why they could not be asked for, and what to do. */
function unaskedWarnings(since: string, { message, hint }: PosthaulError): WarningsFound {
  const help = hint ?? 'posthaul verify asks for them again'
  return { since, unasked: `${message}; ${help}`, types: [] }
}

export type WarningWatch = ReturnType<typeof watchWarnings>

/**
 * What the service warns of while an import runs: each type is told once. That it can't be asked is told at the end. `ask` asks for a
 * limited time.
 */
export function watchWarnings(
  ask: <T>(work: (project: AskedProject) => Promise<T>) => Promise<T>,
  note: (text: string) => void,
) {
  const since = new Date().toISOString()
  const told = new Set<string>()
  /** All warnings since the run began, or why they could not be asked for. */
  const end = () =>
    ask((project) => askWarnings(project, since)).catch((error: unknown) => {
      if (error instanceof PosthaulError) return unaskedWarnings(since, error)
      throw error
    })
  /** Asks, and tells what is new. */
  const look = async () => {
    for (const warning of tellingOf((await end()).types)) {
      if (told.has(warning.type)) continue
      told.add(warning.type)
      note(`PostHog warns: ${warningText(warning)}`)
    }
  }
  return { look, end }
}
