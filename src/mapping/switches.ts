import { PosthaulError } from '../errors.ts'
import type { Preset } from './preset.ts'

/** The switches that a user asked for by name. Code `usage` for one that the preset `name` does not have. */
export function switchesOf(
  asked: readonly string[],
  name: string,
  { switches = {} }: Preset,
): ReadonlySet<string> {
  const unknown = asked.find((one) => !Object.hasOwn(switches, one))
  if (unknown === undefined) return new Set(asked)
  const known = Object.entries(switches).map(([key, about]) => `${key} (${about})`)
  throw new PosthaulError(`the preset ${name} has no switch "${unknown}"`, {
    code: 'usage',
    hint: known.length > 0 ? `it has: ${known.join('; ')}` : 'it has none',
  })
}
