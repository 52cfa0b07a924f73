import type { ReportData } from '../../src/commands/report/report-data.ts'
import type { CheckpointState } from '../../src/delivery/checkpoint.ts'
import type { EventsManifest, RawManifest } from '../../src/store/manifest.ts'

/** Names as nobody should choose them: markup, bidi marks, lone surrogates, control characters, and one that is too long. */
export const HOSTILE_NAMES = [
  '<script>document.title = "hacked"</script>',
  '"><img src=x onerror="document.title=\'hacked\'">',
  '</title></style></svg><svg onload="document.title=\'hacked\'">',
  'javascript:document.title="hacked"',
  '\u202egnp.exe\ud800\u0000\u0007',
  'a very long name '.repeat(12),
] as const

const NAMES = ['$pageview', '$identify', 'Sign up', 'Purchase', ...HOSTILE_NAMES]

/** Days that follow each other, `YYYY-MM-DD`. */
export function daysFrom(first: string, count: number): string[] {
  return Array.from({ length: count }, (_, at) =>
    new Date(Date.parse(first) + at * 86_400_000).toISOString().slice(0, 10),
  )
}

/** A report with every section: made by hand, as no migration would make it. */
export function fullReport(days: readonly string[] = daysFrom('2024-01-01', 120)): ReportData {
  return {
    title: 'Migration of shop.example',
    tool: 'posthaul 1.0.0',
    madeAt: '2024-07-02T10:00:00Z',
    verdict: {
      level: 'error',
      title: '3 events are missing in PostHog.',
      text: 'All others of 412,345 arrived. The missing ones are in a file, ready to be imported.',
    },
    figures: [
      { label: 'Events moved', value: 412_345, meaning: 'Events that PostHog acknowledged.' },
      {
        label: 'Proven',
        value: '99.9%',
        meaning: 'Of the days and names hold the same events.',
        level: 'warning',
      },
      { label: 'Left out', value: 1203, meaning: 'Records that a rule of the mapping left out.' },
      { label: 'Rejected', value: 37, meaning: 'Records that could not become events.', level: 'error' },
    ],
    missing: [`No key was given, so persons were not counted ${HOSTILE_NAMES[0]}`],
    reduced: ['Of 214 event names the 10 most frequent are shown.'],
    datasets: [
      { name: 'raw/', manifest: rawManifest(days) },
      { name: 'events/', manifest: eventsManifest(days) },
    ],
    imports: [{ state, standing: 'done', pending: 0, share: 1 }],
    counts: {
      vendor: HOSTILE_NAMES[0]!,
      sentences: [
        `The vendor counts other numbers than were exported for 1 name: ${HOSTILE_NAMES[1]!} (1 more).`,
      ],
      unknown: ['What PostHog has on each day is not known: no verify has come to its end.'],
      days: days.slice(0, 150).map((name, at) => ({
        ...{ name, differs: at < 2, vendor: 1_234_567, counted: 1_234_566, exported: 1_234_570 },
        ...{ made: 1_234_000, rejected: 70, filtered: 500, duplicates: 4, there: 1_233_996 },
      })),
      names: HOSTILE_NAMES.map((name) => ({ name, differs: true, vendor: 3, counted: 2, exported: 2 })),
    },
    rejects: [
      {
        stage: 'transform',
        input: 'events/',
        file: 'events/rejects.ndjson',
        total: 37,
        reasons: { invalid_json: 30, [HOSTILE_NAMES[2]]: 7 },
      },
    ],
    proof: {
      tool: 'posthaul 1.0.0',
      asked_at: '2024-07-02T09:00:00Z',
      host: 'eu.posthog.com',
      project: '4711 Shop',
      inputs: [],
      found: {
        equal: false,
        days: 2,
        events: { here: 412_345, service: 412_342, others: 0, missing: 3, unknown: 0, moved: 0, doubled: 0 },
        hidden: null,
        differences: [
          {
            day: days[10]!,
            event: HOSTILE_NAMES[0],
            ...{ here: 12, service: 10, missing: 2, unknown: 0, moved: 0 },
          },
          { day: days[11]!, event: null, here: 5, service: 4, missing: 1, unknown: 0, moved: 0 },
        ],
        missing_file: 'events/missing.ndjson',
        values: { compared: 2000, absent: 0, changed: 0 },
        persons: {
          distinct_ids: { here: 20_100, service: 20_098 },
          persons: 15_030,
          merges: { events: 5068, asked: 100, apart: [['u1', 'u2']] },
          groups: [{ type: HOSTILE_NAMES[1], events: { here: 120, service: 120 }, keys: { service: 122 } }],
        },
        unasked: ['2024-04-29: the query took too long'],
        likely_causes: [{ cause: 'over_quota', events: 3 }],
        ingestion_warnings: {
          unasked: null,
          types: [{ type: HOSTILE_NAMES[0], severity: 'error', sampled: 2, example: '0190' }],
        },
      },
    },
  }
}

const about = { version: 2, tool: 'posthaul 1.0.0', created_at: '2024-07-01T07:00:00Z' } as const

function rawManifest(days: readonly string[]): RawManifest {
  const part = { file: 'a.ndjson', events: 3446, bytes: 6_000_000, sha256: '', first: null, last: null }
  return {
    ...{ ...about, kind: 'raw', source: { vendor: 'mixpanel', project: HOSTILE_NAMES[1] }, records: 413_585 },
    parts: days.map((window) => ({ ...part, window })),
  }
}

export function eventsManifest(days: readonly string[]): EventsManifest {
  const part = { file: 'a.ndjson', events: 3446, bytes: 1_000_000, sha256: '', first: '', last: '' }
  return {
    ...{
      ...about,
      kind: 'events',
      source: { preset: 'mixpanel' },
      rules: 'mixpanel 1.1',
      import_ids: ['0190f3c2'],
    },
    records: { read: 413_585, mapped: 412_345, rejected: 37, filtered: 1203 },
    events: { made: 413_000, written: 412_345, rejected: 0, duplicate: 655, earlier: 10, generated: 655 },
    rejects: { invalid_json: 37 },
    filtered: { [`drop ${HOSTILE_NAMES[0]}`]: 1203 },
    mends: { lone_surrogate: 3 },
    big_integers: {},
    members: { [`properties.${HOSTILE_NAMES[4]}`]: { kept: 1, 'left out: preset': 413_584 } },
    other_members: {},
    names: Object.fromEntries(NAMES.map((name, at) => [name, 100_000 - at * 9000])),
    other_names: 3045,
    days: Object.fromEntries(days.map((day, at) => [day, Math.round(900 * (1.2 + Math.sin(at / 9)))])),
    ...{ properties: {}, other_properties: 0, group_types: {}, groups: {}, distinct_ids: { approximate: 9 } },
    arrival: { file: 'arrival.ndjson', bytes: 0, sha256: '', lines: 0 },
    links: { file: 'links.ndjson', bytes: 0, sha256: '', lines: 1 },
    parts: days.map((day) => ({ ...part, day })),
  }
}

/** As much of a checkpoint as a page shows. */
const state = {
  ...{
    tool: 'posthaul 1.0.0',
    input: { kind: 'dataset', name: 'events/' },
    target: { host: 'eu.i.posthog.com' },
  },
  started_at: '2024-07-01T08:00:00Z',
  saved_at: '2024-07-01T09:20:00Z',
  counts: { delivered: 412_345, rejected: 2, filtered: 0 },
  own: { events: 12 },
  caps: { events_per_minute: 10_000, events: 20_000_000, approved: false },
  remarks: { unknown: 0 },
  filters: {},
  notes: { mends: {}, ignored_members: { [HOSTILE_NAMES[1]]: 3 } },
} as unknown as CheckpointState
