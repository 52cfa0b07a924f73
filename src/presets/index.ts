import { PosthaulError } from '../errors.ts'
import type { Preset } from '../mapping/preset.ts'
import { nearest } from '../text/nearest.ts'

/** A preset as help, tests and docs know it: none of them has a list of its own. */
interface PresetEntry {
  /** What `--preset` and a mapping file say; also the folder of its fixtures. */
  readonly name: string
  readonly title: string
  /** What the preset reads, in words that complete the title. */
  readonly reads: string
  /** Loads the preset itself: a run needs one of them. */
  readonly load: () => Promise<Preset>
}

const TABLE: Readonly<Record<string, Omit<PresetEntry, 'name'>>> = {
  mixpanel: {
    title: 'Mixpanel',
    reads: 'raw export lines, profiles of users and groups',
    load: async () => (await import('./mixpanel.ts')).mixpanel,
  },
  amplitude: {
    title: 'Amplitude',
    reads: "lines of the Export API's archives",
    load: async () => (await import('./amplitude.ts')).amplitude,
  },
  segment: {
    title: 'Segment',
    reads: 'calls as JSON lines, as its S3 archives hold them',
    load: async () => (await import('./segment.ts')).segment,
  },
  'segment-warehouse': {
    title: 'Segment, RudderStack',
    reads: 'rows of their tables in a warehouse',
    load: async () => (await import('./segment-warehouse.ts')).segmentWarehouse,
  },
  rudderstack: {
    title: 'RudderStack',
    reads: 'calls as JSON lines out of object storage',
    load: async () => (await import('./segment.ts')).rudderstack,
  },
  ga4: {
    title: 'GA4 and Firebase',
    reads: "rows of BigQuery's events_ tables",
    load: async () => (await import('./ga4.ts')).ga4,
  },
  ua: {
    title: 'Universal Analytics',
    reads: "rows of BigQuery's ga_sessions_ tables",
    load: async () => (await import('./ua.ts')).ua,
  },
  mparticle: {
    title: 'mParticle',
    reads: 'batches as JSON lines, as its feeds write them',
    load: async () => (await import('./mparticle.ts')).mparticle,
  },
  matomo: {
    title: 'Matomo',
    reads: 'visits of its Live API, rows of its database',
    load: async () => (await import('./matomo.ts')).matomo,
  },
  statsig: {
    title: 'Statsig',
    reads: 'rows of its warehouse exports, stored webhooks',
    load: async () => (await import('./statsig.ts')).statsig,
  },
  'simple-analytics': {
    title: 'Simple Analytics',
    reads: 'data points of its export API',
    load: async () => (await import('./simple-analytics.ts')).simpleAnalytics,
  },
  kissmetrics: {
    title: 'Kissmetrics',
    reads: 'lines of its data export, out of revisions/',
    load: async () => (await import('./kissmetrics.ts')).kissmetrics,
  },
  heap: {
    title: 'Heap',
    reads: 'tables of Heap Connect, from S3 or a warehouse',
    load: async () => (await import('./heap.ts')).heap,
  },
  umami: {
    title: 'Umami',
    reads: "Cloud's CSV files, rows of its database",
    load: async () => (await import('./umami.ts')).umami,
  },
  snowplow: {
    title: 'Snowplow',
    reads: 'enriched events: TSV, rows of `atomic.events`',
    load: async () => (await import('./snowplow.ts')).snowplow,
  },
  pendo: {
    title: 'Pendo',
    reads: "Data Sync's events, visitors and accounts",
    load: async () => (await import('./pendo.ts')).pendo,
  },
  posthog: {
    title: 'PostHog',
    reads: "batch exports, events in the batch API's form",
    load: async () => (await import('./posthog.ts')).posthog,
  },
  events: {
    title: 'Rows of your own',
    reads: 'events in any form, by a mapping file',
    load: async () => (await import('./events.ts')).events,
  },
}

export const PRESETS: readonly PresetEntry[] = Object.entries(TABLE).map(([name, preset]) => ({
  name,
  ...preset,
}))

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
