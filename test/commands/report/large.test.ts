import { beforeAll, expect, test } from 'vitest'
import { datasetPart, leftOutPart } from '../../../src/commands/report/dataset-parts.ts'
import { rejectReasons } from '../../../src/commands/report/import-parts.ts'
import { proofPart } from '../../../src/commands/report/proof.ts'
import type { ReportData } from '../../../src/commands/report/report-data.ts'
import { figuresOf, reducedNotes, verdictOf } from '../../../src/commands/report/summing-up.ts'
import { keptOf, type Verified } from '../../../src/imports/verified.ts'
import type { EventsManifest } from '../../../src/store/manifest.ts'

/*
 * A page of a made-up history that is larger than any: 10,000 days, 100,000 names, some of which want to be markup. The page
 * stays small, nothing of a name is markup, and the figures add up.
 */
const DAYS = 10_000
const NAMES = 100_000
/** A manifest tells so many apart. */
const TOLD_APART = 10_000
const HOSTILE = [
  '</script><img src=x onerror=alert(1)>',
  '"><svg/onload=alert(2)>',
  '\u202egnp.exe\u2066',
  'x'.repeat(10_000),
  `${'x'.repeat(9_999)}y`,
  'nul\0nul',
  'lone \ud800 surrogate',
  '__proto__',
]

const nameAt = (n: number) => HOSTILE[n] ?? `event ${n}`
const dayAt = (n: number) => new Date(Date.UTC(1999, 0, 1 + n)).toISOString().slice(0, 10)
/** The cells of a day: the hostile names, and others that change from day to day. */
const cellsAt = (day: number) =>
  Array.from({ length: 12 }, (_, n) => {
    const name = n < HOSTILE.length ? n : (day * 11 + n) % NAMES
    return { name: nameAt(name), count: name === n ? 1000 - n : 1 }
  })

const tally = (entries: [string, number][]): Record<string, number> =>
  // As JSON.parse makes it: __proto__ is a member like any other.
  JSON.parse(`{${entries.map(([name, n]) => `${JSON.stringify(name)}:${n}`).join()}}`)

let data: ReportData
let total = 0
let html: string
beforeAll(async () => {
  const sums = new Map<string, number>(Array.from({ length: NAMES }, (_, n) => [nameAt(n), 0]))
  for (let day = 0; day < DAYS; day++)
    for (const { name, count } of cellsAt(day)) {
      sums.set(name, sums.get(name)! + count)
      total += count
    }
  const manifest = manifestOf(sums)
  const shown = {
    datasets: [datasetPart('events/', manifest)],
    days: Array.from({ length: DAYS }, (_, day) => ({ day: dayAt(day), count: cellsAt(day).length })),
    proof: proofPart(verifiedOf(nameAt(0))),
    leftOut: [leftOutPart('events/', manifest)],
    rejects: [
      {
        stage: 'transform' as const,
        input: 'events/',
        total: NAMES,
        ...(await rejectReasons(manifest.rejects, rejectLines())),
      },
    ],
  } satisfies Partial<ReportData>
  const verdict = verdictOf(shown)!
  data = {
    title: `Migration of ${HOSTILE[0]}`,
    tool: 'posthaul',
    madeAt: '2026-01-01T00:00:00.000Z',
    verdict,
    figures: figuresOf(shown),
    missing: HOSTILE.slice(0, 3),
    reduced: reducedNotes(shown),
    ...shown,
  }
  const page: { renderReport(data: ReportData): string } = await import(
    new URL('../../../dist/web/report.js', import.meta.url).href
  )
  html = page.renderReport(data)
})

function manifestOf(sums: ReadonlyMap<string, number>): EventsManifest {
  const first = [...sums.keys()].slice(0, TOLD_APART)
  const names = tally([...sums])
  const fates = tally([
    ['kept', 5],
    ['left out: preset', 3],
  ])
  const members: Record<string, Record<string, number>> = JSON.parse(
    `{${first.map((name) => `${JSON.stringify(name)}:${JSON.stringify(fates)}`).join()}}`,
  )
  return {
    version: 2,
    kind: 'events',
    tool: 'posthaul',
    created_at: '2026-01-01T00:00:00.000Z',
    source: { inputs: HOSTILE[0]!, preset: HOSTILE[3]! },
    rules: 'mixpanel 1.1',
    import_ids: null,
    records: { read: total + NAMES, mapped: total, rejected: NAMES, filtered: 0 },
    events: { made: total, written: total, rejected: 0, duplicate: 0, generated: 0 },
    rejects: tally(first.map((name) => [name, 1])),
    filtered: tally(first.map((name) => [name, 1])),
    mends: {},
    big_integers: {},
    members,
    other_members: {},
    names,
    other_names: 0,
    days: {},
    properties: tally(first.map((name) => [name, 7])),
    other_properties: 0,
    group_types: {},
    groups: {},
    distinct_ids: { approximate: 0 },
    arrival: { file: 'arrival.ndjson', bytes: 0, sha256: '0'.repeat(64), lines: 0 },
    links: { file: 'links.ndjson', bytes: 0, sha256: '0'.repeat(64), lines: 1 },
    parts: [],
  }
}

/** One name is a thousand days short by one event; one day has more. */
function verifiedOf(name: string): Verified {
  const short = Array.from({ length: 1000 }, (_, n) => ({
    ...{ day: dayAt(n), event: name, here: 1000, service: 999, missing: 1, unknown: 0, moved: 0 },
  }))
  const more = {
    day: dayAt(DAYS - 1),
    event: nameAt(1),
    here: 999,
    service: 1009,
    missing: 0,
    unknown: 10,
    moved: 0,
  }
  return {
    tool: 'posthaul',
    asked_at: '2026-01-01T00:00:00.000Z',
    host: 'https://us.posthog.com',
    project: '1',
    inputs: [],
    found: {
      equal: false,
      days: DAYS,
      events: { here: 0, service: 0, others: 0, missing: 1000, unknown: 10, doubled: 0 },
      differences: [...short, more],
      missing_file: null,
      values: null,
      persons: null,
      put_right: null,
      unasked: [],
      likely_causes: HOSTILE.map((cause, n) => ({ cause, events: n })),
      ingestion_warnings: {
        unasked: null,
        types: Array.from({ length: 100 }, (_, n) => ({
          type: nameAt(n),
          severity: 'error',
          sampled: n,
          example: HOSTILE[n % HOSTILE.length]!,
        })),
      },
    },
  }
}

async function* rejectLines(): AsyncGenerator<Buffer> {
  for (let n = 0; n < 1000; n++) {
    const [reason, message] = [nameAt(n % 40), HOSTILE[n % HOSTILE.length]!]
    yield Buffer.from(`${JSON.stringify({ line: n + 1, offset: 0, reason, message, record: message })}\n`)
  }
  yield Buffer.from('not a reject\n')
}

test('the page is under 2 MB', () => {
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000)
})

test('no name is markup in it', () => {
  const body = html.slice(html.indexOf('</style>'))
  expect(body.match(/<(?:img|svg\/|script)/i)).toBeNull()
  // Neither does anything hide or reorder what is read.
  expect(html.match(/\0|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u)).toBeNull()
})

test('the events of all names are the events of the manifest, and all differences are counted', () => {
  const { top, others } = data.datasets![0]!.names!
  expect(top.reduce((sum, { count }) => sum + count, others)).toBe(total)
  const { differences, moreDifferences } = data.proof!
  expect(differences.length + moreDifferences).toBe(1001)
})

test('long names that begin alike stay two', () => {
  const names = data.datasets![0]!.names!.top.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
})

test('it says what was made smaller', () => {
  expect(data.reduced.join('\n')).toContain('901 more differences')
  expect(data.reduced).toHaveLength(4)
})

test('what is kept of a verify can be read again', () => {
  expect(keptOf(verifiedOf('x')).found.differences).toHaveLength(1001)
})
