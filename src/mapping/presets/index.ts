import { PosthaulError } from '../../errors.ts'
import { nearest } from '../../nearest.ts'
import type { Preset } from '../preset.ts'

const PRESETS: Readonly<Record<string, () => Promise<Preset>>> = {
  mixpanel: async () => (await import('./mixpanel.ts')).mixpanel,
  amplitude: async () => (await import('./amplitude.ts')).amplitude,
  segment: async () => (await import('./segment.ts')).segment,
  rudderstack: async () => (await import('./rudderstack.ts')).rudderstack,
  ga4: async () => (await import('./ga4.ts')).ga4,
  posthog: async () => (await import('./posthog.ts')).posthog,
}

/** Names of the presets, for help and errors. */
export const PRESET_NAMES: readonly string[] = Object.keys(PRESETS)

/** The preset of that name. Code `usage` for an unknown one. */
export async function loadPreset(name: string): Promise<Preset> {
  const load = Object.hasOwn(PRESETS, name) ? PRESETS[name] : undefined
  if (load) return load()
  const guess = nearest(name, PRESET_NAMES)
  throw new PosthaulError(`there is no preset "${name}"`, {
    code: 'usage',
    hint: guess ? `did you mean "${guess}"?` : `presets: ${PRESET_NAMES.join(', ')}`,
  })
}
