import { PosthaulError } from '../errors.ts'
import { plainJson } from './visible.ts'

/** A value as one line of JSON, as all that is printed with --json. */
export function jsonLine(value: unknown): string {
  return `${plainJson(JSON.stringify(value))}\n`
}

/** An error in a JSON summary. Null without an error, and for a bug, whose trace goes to stderr only. */
export function errorJson(error: unknown) {
  if (!(error instanceof PosthaulError)) return null
  const { code, finding, message, hint } = error
  return { code, finding: finding ?? null, message, hint: hint ?? null }
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

/** Why `parseOnce` refuses JSON that a parser takes. */
export const TWICE = 'a name is there twice'
const STRING = /"(?:[^"\\]+|\\.)*"/g

/**
 * Parses JSON that another program wrote. SyntaxError if it isn't JSON, or says one thing twice: nobody knows which of them is
 * meant.
 */
export function parseOnce(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return value
  if (membersIn(value) === text.replaceAll(STRING, '').split(':').length - 1) return value
  throw new SyntaxError(TWICE)
}

/** How many members a value and all in it have. Of two with one name, parsing leaves one. */
function membersIn(value: object): number {
  let found = 0
  // No recursion: nothing limits how deep another program nests.
  const left: object[] = [value]
  for (let one = left.pop(); one !== undefined; one = left.pop()) {
    const inside: unknown[] = Object.values(one)
    if (!Array.isArray(one)) found += inside.length
    for (const each of inside) if (typeof each === 'object' && each !== null) left.push(each)
  }
  return found
}

/** An object as JSON.parse makes it. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The value of an object's own member. */
export function ownOf<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The members of an object; none of any other value. */
export function objectOrEmpty(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {}
}

/** The object that another program wrote as JSON; undefined for other text, and for one that says one thing twice. */
export function objectIn(text: string): JsonObject | undefined {
  try {
    const value = parseOnce(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** What JSON text holds; undefined for other text. */
export function parsedOrNone(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
