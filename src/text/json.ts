import { PosthaulError } from '../errors.ts'
import { plainJson } from './visible.ts'

/** A value as one line of JSON, as all that is printed with --json. */
export function jsonLine(value: unknown): string {
  return `${plainJson(JSON.stringify(value))}\n`
}

/** An error in a JSON summary. Null without an error, and for a bug, whose trace goes to stderr only. */
export function errorJson(error: unknown) {
  if (!(error instanceof PosthaulError)) return null
  const { code, message, hint } = error
  return { code, message, hint: hint ?? null }
}

/** Seconds in a JSON summary, rounded to milliseconds. */
export function secondsJson(seconds: number): number {
  return Number(seconds.toFixed(3))
}

/**
 * What `--json` prints, `version` 1, when a command fails before it has a summary. Undefined for a bug, and for a
 * mistake in the command line or the settings, which the script's author must fix. `path`: the names that lead to the
 * command.
 */
export function failureJson(error: unknown, path: readonly string[]) {
  if (!(error instanceof PosthaulError) || error.code === 'usage' || error.code === 'config') return undefined
  // The summary of an export names the vendor in a member of its own.
  const command = path[0] === 'export' ? 'export' : path.join(' ')
  return { version: 1, command, finished: false, error: errorJson(error) }
}
