import { PosthaulError } from '../errors.ts'
import type { Mapping } from './mapping.ts'
import type { Preset, PresetOptions } from './preset.ts'

/** What a preset's functions may ask of the user's choices. */
export function optionsFor(
  { groupType = '' }: Preset,
  mapping: Mapping,
  switches: ReadonlySet<string>,
): PresetOptions {
  return {
    sourceTimezone: mapping.sourceTimezone,
    groupType: mapping.groupType ?? groupType,
    groupTypes: mapping.groupTypes ?? {},
    baseUrl: mapping.baseUrl,
    switches,
  }
}

/** Code `config` for a mapping file with an address or names that the preset `name` makes nothing of. */
export function assertKeysRead({ baseUrl, groupTypes }: Mapping, name: string, preset: Preset): void {
  const unread = (key: string, use: string) =>
    new PosthaulError(`the preset ${name} makes nothing of ${key}`, {
      code: 'config',
      hint: `take ${key} out of the mapping file; ${use}`,
    })
  if (baseUrl !== undefined && !preset.readsBaseUrl)
    throw unread('base_url', 'ids of matomo are made with it')
  if (groupTypes !== undefined && !preset.readsGroupTypes)
    throw unread('group_types', 'posthog reads it; groups says where keys of groups are')
}

/** The group type that a user asked for. Code `usage` where the preset `name` has no use for one. */
export function groupTypeOf(asked: string | undefined, name: string, preset: Preset): string | undefined {
  if (asked === undefined || preset.groupType !== undefined) return asked
  throw new PosthaulError(`the preset ${name} reads no records of groups without a type`, {
    code: 'usage',
    hint: 'leave --group-type (group_type in a mapping file) out; groups in a mapping file says where keys are',
  })
}

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

/** True for what names a file that holds a preset: `./acme.mjs`. Names of presets have neither dots nor slashes. */
export function isPresetFile(preset: string): boolean {
  return /[/\\]|\.[cm]?js$/.test(preset)
}
