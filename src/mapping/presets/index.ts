import { PosthaulError } from '../../errors.ts'
import { nearest } from '../../nearest.ts'
import type { Preset } from '../preset.ts'

/** A preset as help, tests and docs know it: none of them has a list of its own. */
export interface PresetEntry {
  /** What `--preset` and a mapping file say; also the folder of its fixtures. */
  readonly name: string
  /** The vendor's name in words. */
  readonly title: string
  /** What the preset reads, in words that complete the title. */
  readonly reads: string
  /** Loads the preset itself: a run needs one of them. */
  readonly load: () => Promise<Preset>
}

export const PRESETS: readonly PresetEntry[] = [
  {
    name: 'mixpanel',
    title: 'Mixpanel',
    reads: 'raw export lines, profiles of users and groups',
    load: async () => (await import('./mixpanel.ts')).mixpanel,
  },
  {
    name: 'amplitude',
    title: 'Amplitude',
    reads: "lines of the Export API's archives",
    load: async () => (await import('./amplitude.ts')).amplitude,
  },
  {
    name: 'segment',
    title: 'Segment',
    reads: 'calls as JSON lines, as its S3 archives hold them',
    load: async () => (await import('./segment.ts')).segment,
  },
  {
    name: 'rudderstack',
    title: 'RudderStack',
    reads: 'calls as JSON lines, as object storage holds them',
    load: async () => (await import('./rudderstack.ts')).rudderstack,
  },
  {
    name: 'ga4',
    title: 'GA4 and Firebase',
    reads: "rows of BigQuery's events_ tables",
    load: async () => (await import('./ga4.ts')).ga4,
  },
  {
    name: 'posthog',
    title: 'PostHog',
    reads: "batch exports, events in the batch API's form",
    load: async () => (await import('./posthog.ts')).posthog,
  },
  {
    name: 'events',
    title: 'Rows of your own',
    reads: 'events in any form, by a mapping file',
    load: async () => (await import('./events.ts')).events,
  },
]

/** Names of the presets, for errors and the option's help. */
export const PRESET_NAMES: readonly string[] = PRESETS.map(({ name }) => name)

/** The preset of that name. Code `usage` for an unknown one. */
export async function loadPreset(name: string): Promise<Preset> {
  const entry = PRESETS.find((one) => one.name === name)
  if (entry) return entry.load()
  const guess = nearest(name, PRESET_NAMES)
  throw new PosthaulError(`there is no preset "${name}"`, {
    code: 'usage',
    hint: guess ? `did you mean "${guess}"?` : `presets: ${PRESET_NAMES.join(', ')}`,
  })
}
