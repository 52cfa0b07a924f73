import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { GroupsSeen } from '../../src/checks/groups-seen.ts'
import { Fingerprint } from '../../src/record/fingerprint.ts'
import { readHead } from '../../src/record/head.ts'
import { formatInstant, parseTime } from '../../src/record/time.ts'
import { type ArrivalCell, writeArrival } from '../../src/store/arrival.ts'
import { cellOf } from '../../src/store/arrival-cell.ts'
import { writeManifest } from '../../src/store/dataset.ts'
import { LocalStore } from '../../src/store/local.ts'
import type { EventsManifest } from '../../src/store/manifest.ts'
import { writeLinks } from '../../src/transform/links.ts'
import { eventLine, type TestEvent } from './events.ts'

const RULES = 'posthog 2.1'

/** A part to write: its file's name and the events of one day. */
export interface TestPart {
  readonly file: string
  readonly events: readonly TestEvent[]
}

/** Writes a dataset as transform would. The manifest names the parts in the order given. */
export async function writeDataset(folder: string, parts: readonly TestPart[]): Promise<EventsManifest> {
  mkdirSync(folder, { recursive: true })
  const store = new LocalStore(folder)
  const cells: Record<string, Record<string, Fingerprint>> = {}
  const written = parts.map(({ file, events }) => {
    const text = events.map((event) => `${eventLine(event)}\n`).join('')
    const bytes = file.endsWith('.gz') ? gzipSync(text) : Buffer.from(text)
    writeFileSync(join(folder, file), bytes)
    const day = file.slice(0, 10)
    for (const { event, uuid, distinct_id, timestamp } of events) {
      cells[day] ??= {}
      cells[day][event] ??= new Fingerprint()
      cells[day][event].addTexts(uuid, distinct_id, event, instantOf(timestamp))
    }
    const [first, last] = [events[0]?.timestamp ?? '', events.at(-1)?.timestamp ?? '']
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    return { file, day, events: events.length, bytes: bytes.length, sha256, first, last }
  })
  const count = parts.reduce((sum, { events }) => sum + events.length, 0)
  const manifest: EventsManifest = {
    version: 2,
    kind: 'events',
    tool: 'posthaul test',
    created_at: '2024-06-01T00:00:00.000Z',
    source: { preset: 'posthog' },
    rules: RULES,
    import_ids: null,
    records: { read: count, mapped: count, rejected: 0, filtered: 0 },
    events: { made: count, written: count, rejected: 0, duplicate: 0, generated: 0 },
    rejects: {},
    filtered: {},
    mends: {},
    big_integers: {},
    members: {},
    other_members: {},
    names: tallyOf(parts.flatMap(({ events }) => events.map(({ event }) => event))),
    other_names: 0,
    days: Object.fromEntries(Object.entries(cells).map(([day, ofDay]) => [day, eventsOf(ofDay)])),
    properties: tallyOf(
      parts.flatMap(({ events }) => events.flatMap(({ properties }) => Object.keys(properties))),
    ),
    other_properties: 0,
    ...groupsOf(parts),
    distinct_ids: {
      approximate: new Set(parts.flatMap(({ events }) => events.map((event) => event.distinct_id))).size,
    },
    arrival: await writeArrival(store, { version: 1, rules: RULES, import_ids: null }, linesOf(cells)),
    links: await writeLinks(store, Readable.from([]), 0),
    parts: written,
  }
  await writeManifest(store, manifest)
  return manifest
}

/** In microseconds; 0 for a time that is none, which some tests want. */
function instantOf(timestamp: string): number {
  return Number.isNaN(Date.parse(timestamp)) ? 0 : parseTime(timestamp)
}

type Cells = Readonly<Record<string, Readonly<Record<string, Fingerprint>>>>

function linesOf(cells: Cells): ArrivalCell[] {
  return Object.keys(cells)
    .sort()
    .flatMap((day) =>
      Object.entries(cells[day]!)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([event, cell]) => cellOf(day, event, cell)),
    )
}

function eventsOf(names: Readonly<Record<string, Fingerprint>>): number {
  return Object.values(names).reduce((sum, { count }) => sum + count, 0)
}

function tallyOf(names: readonly string[]): Record<string, number> {
  const tally: Record<string, number> = {}
  for (const name of names) tally[name] = (tally[name] ?? 0) + 1
  return tally
}

/** What a manifest says of group types. */
function groupsOf(parts: readonly TestPart[]) {
  const seen = new GroupsSeen()
  for (const event of parts.flatMap(({ events }) => events)) {
    const line = Buffer.from(eventLine(event))
    const head = readHead(line, 0, line.length)
    if (head) seen.look(line, head)
  }
  const rows = [...seen.types].map(([type, { named, shown, oldest }]) => {
    return { type, named, shown, oldest: formatInstant(Number.isFinite(oldest) ? oldest : 0) }
  })
  const of = (count: 'named' | 'shown') =>
    Object.fromEntries(rows.map((row) => [row.type, { events: row[count], oldest: row.oldest }]))
  return { group_types: of('named'), groups: of('shown') }
}
