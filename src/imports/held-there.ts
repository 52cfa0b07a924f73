import { eventIn } from '../checks/event-in.ts'
import type { HeldThere } from '../checks/project-side.ts'
import { LineFramer } from '../record/lines.ts'
import { type Meeting, type MergeKey, meetingOf } from '../record/merging.ts'
import { GROUP_EVENT } from '../record/rules.ts'
import type { AskedProject } from '../service/api.ts'
import { ServiceError } from '../service/errors.ts'
import {
  type EventFilter,
  eventsLike,
  type OtherPlace,
  type OwnImport,
  placesOfOthers,
  plusDays,
} from '../service/event-filter.ts'
import type { EventsOfDay } from '../service/events-by-day.ts'
import { gunzip } from '../store/gunzip.ts'
import type { EventsManifest } from '../store/manifest.ts'
import type { Store } from '../store/store.ts'

/** The first events of a part. No more of it is read than that takes. */
async function firstOf(store: Store, file: string, most: number): Promise<MergeKey[]> {
  const found: MergeKey[] = []
  const framer = new LineFramer({
    line(bytes, start, end) {
      const event = found.length < most ? eventIn(bytes.toString('utf8', start, end)) : undefined
      if (event) found.push({ ...event, distinctId: event.distinct_id })
    },
    tooLong() {},
  })
  const stored = store.read(file)
  for await (const chunk of file.endsWith('.gz') ? gunzip(stored) : stored) {
    framer.push(chunk)
    if (found.length >= most) return found
  }
  framer.end()
  return found
}

/** The most events that are looked for, and the most days. One query finds them, and a changed rule moves nearly all events. */
const MOST_DAYS = 5
const EVENTS_A_DAY = 20

/** A dataset, as the project is asked about its events. */
export interface DatasetHeld {
  readonly store: Store
  readonly manifest: EventsManifest
}

/** The vendor whose preset made the events of a dataset. */
export function vendorOf({ rules }: Pick<EventsManifest, 'rules'>): string {
  return rules.split(' ')[0]!
}

/**
 * Asks what the project holds of a dataset already. `there`: the days of it on which the project has events. `beside`: other days of
 * it, the project having events on the day before or behind.
 */
export async function heldThere(
  project: AskedProject,
  { store, manifest }: DatasetHeld,
  there: readonly EventsOfDay[],
  beside: readonly string[] = [],
): Promise<HeldThere | undefined> {
  if (there.length + beside.length === 0) return undefined
  const own = { importIds: manifest.import_ids, vendor: vendorOf(manifest) }
  const places = await placesIn(project, there, own)
  const largest = there.toSorted((a, b) => b.events - a.events).map(({ day }) => day)
  const names = [...largest, ...beside].slice(0, MOST_DAYS)
  const samples: MergeKey[][] = []
  for (const day of names) {
    const part = manifest.parts.find((one) => one.day === day)
    if (part) samples.push(await firstOf(store, part.file, EVENTS_A_DAY))
  }
  const all = samples.flat()
  const found = all.length > 0 ? await eventsLike(project, names.map(around), all) : []
  return { places, asked: all.length, ...meetings(samples, found) }
}

/** The places of other imports' events; those of their largest day, where all days are too much for a query. */
async function placesIn(
  project: AskedProject,
  there: readonly EventsOfDay[],
  own: OwnImport,
): Promise<OtherPlace[]> {
  const days = there.filter(({ others }) => others > 0)
  const largest = days.toSorted((a, b) => b.others - a.others)[0]
  if (!largest) return []
  try {
    const all = { first: days[0]!.day, last: days.at(-1)!.day, importIds: null }
    return await placesOfOthers(project, all, own)
  } catch (error) {
    if (!(error instanceof ServiceError && error.heavy)) throw error
    return placesOfOthers(project, { first: largest.day, last: largest.day, importIds: null }, own)
  }
}

/** A day and those beside it: a rule that moves times moves some into them. */
function around(day: string): EventFilter {
  return { first: plusDays(day, -1), last: plusDays(day, 1), importIds: null }
}

/** From best to worst. An event that merges with one of those under its uuid merges, whatever else is there: vendors use ids again. */
const MEETINGS = ['merges', 'moved', 'apart', 'renamed'] as const
/** So many events, and most of a day, are there under other uuids: people do the same twice within a second. */
const FEWEST_RENAMED = 5

function meetings(days: readonly MergeKey[][], found: readonly MergeKey[]): Record<Meeting, number> {
  const counts = { merges: 0, moved: 0, apart: 0, renamed: 0 }
  for (const sample of days) {
    const met = sample.map((one) => bestMeeting(one, found))
    const of = (meeting: Meeting) => met.filter((one) => one === meeting).length
    for (const meeting of MEETINGS)
      if (meeting !== 'renamed' || of(meeting) * 2 > sample.length) counts[meeting] += of(meeting)
  }
  if (counts.renamed < Math.min(FEWEST_RENAMED, days.flat().length)) counts.renamed = 0
  return counts
}

/** An event of another day is the same one, moved, only where it has the same name and person. */
function bestMeeting(one: MergeKey, found: readonly MergeKey[]): Meeting | undefined {
  const dayOf = ({ timestamp }: MergeKey) => timestamp.slice(0, 10)
  const met = new Set<Meeting>()
  for (const other of found) {
    const meeting = meetingOf(one, other)
    // A group is the same however often its properties are said.
    if (meeting === 'renamed' && one.event === GROUP_EVENT) continue
    if (meeting && (meeting !== 'apart' || dayOf(other) === dayOf(one))) met.add(meeting)
  }
  return MEETINGS.find((meeting) => met.has(meeting))
}
