import {
  type EventFiles,
  type FirstReject,
  type InspectFrom,
  type Inspection,
  Inspector,
  type MigrationSubject,
  readEvents,
} from '../../checks/index.ts'
import { dayText, type Head, NameTable, type Notes } from '../../record/index.ts'
import { MICROS_PER_DAY } from '../../text/index.ts'

/** What a manifest would say of these files, and what is found out by reading every event. */
export interface Survey {
  readonly subject: MigrationSubject
  readonly inspection: Inspection
  /** The first line that was rejected. */
  readonly reject: FirstReject | undefined
  /** The importers whose id is in the events already. */
  readonly notes: Notes
}

/**
 * Reads files of the service's own events as an import would, and counts what would be sent. An event that is in the
 * files twice is sent twice, so it counts twice.
 */
export async function survey(files: EventFiles, from: InspectFrom): Promise<Survey> {
  const events = new EventCounts()
  const inspector = new Inspector(from)
  const { parts, counts, notes, rejects, reject } = await readEvents(files, (line, head, noted) => {
    events.add(line, head)
    inspector.look(line, head, noted !== undefined && Object.keys(noted.big_integers).length > 0)
  })
  if (inspector.needsAnotherLook) {
    from.again?.()
    await readEvents(files, (line, head) => inspector.lookAgain(line, head))
  }
  const subject = {
    parts,
    ...events.totals(),
    records: { rejected: counts.rejected },
    rejects,
    big_integers: notes.big_integers,
    mends: { ...notes.mends },
    source: { preset: 'posthog' },
  }
  return { subject, inspection: inspector.total(), reject, notes }
}

/** Counts events by day, and by name as a manifest has them. */
class EventCounts {
  readonly #days = new Map<number, number>()
  readonly #names = new NameTable<number>((a, b) => a + b)

  add(line: Buffer, { instant, eventStart, eventEnd }: Head): void {
    const day = Math.floor(instant / MICROS_PER_DAY)
    this.#days.set(day, (this.#days.get(day) ?? 0) + 1)
    this.#names.add(JSON.parse(line.toString('utf8', eventStart, eventEnd)) as string, 1)
  }

  totals(): Pick<MigrationSubject, 'days' | 'names' | 'other_names'> {
    const names: Record<string, number> = Object.create(null)
    const { named, others = 0 } = this.#names.take()
    for (const [name, events] of named) names[name] = events
    const days = [...this.#days].sort(([a], [b]) => a - b).map(([day, events]) => [dayText(day), events])
    return { days: Object.fromEntries(days), names, other_names: others }
  }
}
