import { PosthaulError } from '../errors.ts'

/** An error as summaries have it. Null when there is none, and for a bug: its trace is on stderr alone. */
export function errorJson(error: unknown): Record<string, unknown> | null {
  if (!(error instanceof PosthaulError)) return null
  const { code, message, hint } = error
  return { code, message, hint: hint ?? null }
}

/** Seconds as summaries have them: to the millisecond. */
export function secondsJson(seconds: number): number {
  return Number(seconds.toFixed(3))
}

/**
 * What `--json` prints, `version` 1, when a command fails before it has a summary. Undefined when the command line or
 * the settings are wrong, which a script's author has to mend, and for a bug. `path`: the names that lead to the command.
 */
export function failureJson(error: unknown, path: readonly string[]): Record<string, unknown> | undefined {
  if (!(error instanceof PosthaulError) || error.code === 'usage' || error.code === 'config') return undefined
  // Summaries have the vendor of an export beside the command.
  const command = path[0] === 'export' ? 'export' : path.join(' ')
  return { version: 1, command, finished: false, error: errorJson(error) }
}
