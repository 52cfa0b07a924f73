import { createHash } from 'node:crypto'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PosthaulError } from '../errors.ts'
import { explodedPreset } from '../mapping/explode.ts'
import type { Mapping } from '../mapping/mapping.ts'
import type { Preset } from '../mapping/preset.ts'
import { isPresetFile } from '../mapping/preset.ts'
import { loadPreset } from '../presets/index.ts'
import { fileError } from '../store/file-error.ts'
import { readWhole } from '../store/read-file.ts'
import { MIB } from '../text/units.ts'

const MOST_BYTES = 16 * MIB

/** What a preset is called, and for a file what it held when the transform began. */
export interface NamedPreset {
  readonly preset: string
  /** Undefined for one of posthaul's own. */
  readonly presetSha256?: string | undefined
}

/** Finds a preset: one of posthaul's own by its name, another by the path of its file. */
export async function namePreset(preset: string): Promise<NamedPreset> {
  if (!isPresetFile(preset)) return { preset }
  return { preset, presetSha256: await digestOf(preset) }
}

/**
 * Loads a preset, in any thread. Code `usage` for a name that nobody has, `config` for a file that holds no preset,
 * `mismatch` for a file that has changed since it was named: half of the events would be another's.
 */
export async function presetOf(
  named: NamedPreset & { readonly mapping?: Pick<Mapping, 'explode' | 'explodeWith'> | undefined },
): Promise<Preset> {
  const { explode, explodeWith } = named.mapping ?? {}
  return explodedPreset(await namedPreset(named), explode, explodeWith)
}

async function namedPreset({ preset, presetSha256 }: NamedPreset): Promise<Preset> {
  if (presetSha256 === undefined) return loadPreset(preset)
  if ((await digestOf(preset)) !== presetSha256) {
    throw new PosthaulError(`${preset} has changed since this transform began`, {
      code: 'mismatch',
      hint: 'run the same command again: it begins anew with the changed preset',
    })
  }
  const { default: found, preset: named } = await load(preset, presetSha256)
  const own = found ?? named
  if (own === undefined) {
    throw new PosthaulError(`${preset} exports no preset`, {
      code: 'config',
      hint: 'write: export default definePreset({ vendor: …, fields: …, … })',
    })
  }
  // Only a file is checked; each thread would load what checks it.
  const { enginePreset } = await import('../mapping/own-preset.ts')
  return enginePreset(own, preset)
}

async function load(path: string, sha256: string): Promise<{ default?: unknown; preset?: unknown }> {
  // A process keeps each module that it has loaded: with the hash, a changed file is another module.
  const { href } = pathToFileURL(resolve(path))
  try {
    return (await import(`${href}?sha256=${sha256}`)) as { default?: unknown; preset?: unknown }
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new PosthaulError(`${path} can't be loaded: ${why}`, {
      code: 'config',
      hint: `try it alone: node ${path}`,
      cause,
    })
  }
}

async function digestOf(path: string): Promise<string> {
  try {
    const bytes = await readWhole(path, { mostBytes: MOST_BYTES })
    return createHash('sha256').update(bytes).digest('hex')
  } catch (error) {
    throw fileError(error, 'read the preset', path)
  }
}
