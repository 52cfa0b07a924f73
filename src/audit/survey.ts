import type { Head } from '../record/head.ts'
import { addCounts } from '../record/notes.ts'
import { dayText } from '../record/time.ts'
import { MICROS_PER_DAY } from '../units.ts'
import { type Inspection, Inspector } from './inspect.ts'
import type { MigrationSubject } from './migration-plan.ts'
import { type EventFiles, readEvents } from './read-events.ts'

/** What a manifest would say of these files, and what is found out by reading every event. */
export interface Survey {
  readonly subject: MigrationSubject
  readonly inspection: Inspection
}

/**
 * Reads files of the service's own events as an import would, and counts what would be sent. An event that is in the
 * files twice is sent twice, so it counts twice.
 */
export async function survey(files: EventFiles, youngFrom: number): Promise<Survey> {
  const days = new DayCounts()
  const inspector = new Inspector(youngFrom)
  const { parts, counts, notes } = await readEvents(files, (line, head) => {
    days.add(line, head)
    inspector.look(line, head)
  })
  const subject = {
    parts,
    ...days.totals(),
    records: { rejected: counts.rejected },
    big_integers: notes.big_integers,
    source: { preset: 'posthog' },
  }
  return { subject, inspection: inspector.inspection }
}

/** Counts events by day and name. */
class DayCounts {
  readonly #days = new Map<number, Map<string, number>>()

  add(line: Buffer, { instant, eventStart, eventEnd }: Head): void {
    const day = Math.floor(instant / MICROS_PER_DAY)
    const names = this.#days.get(day) ?? new Map<string, number>()
    this.#days.set(day, names)
    const name = JSON.parse(line.toString('utf8', eventStart, eventEnd)) as string
    names.set(name, (names.get(name) ?? 0) + 1)
  }

  totals(): Pick<MigrationSubject, 'days' | 'names'> {
    const names: Record<string, number> = Object.create(null)
    const days: Record<string, number> = {}
    for (const [day, tally] of Object.entries(this.byDay())) {
      addCounts(names, tally)
      days[day] = Object.values(tally).reduce((sum, n) => sum + n, 0)
    }
    return { days, names }
  }

  byDay(): Record<string, Record<string, number>> {
    const days: Record<string, Record<string, number>> = {}
    for (const [day, names] of [...this.#days].sort(([a], [b]) => a - b)) {
      const counts: Record<string, number> = Object.create(null)
      for (const [name, count] of names) counts[name] = count
      days[dayText(day)] = counts
    }
    return days
  }
}
