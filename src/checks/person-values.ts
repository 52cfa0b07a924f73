import type { SentEvent } from './event-in.ts'
import { isJsonObject, type JsonObject } from './json-equal.ts'
import type { ServiceEvents } from './service-view.ts'
import { ownOf, storedEqual } from './stored-form.ts'

/** What events set of persons, and how much of it the persons have. */
export interface PersonValues {
  readonly compared: number
  readonly equal: number
}

/**
 * Compares what events set of their persons with what the service says of these persons: it keeps `$set` and `$set_once` with
 * an event for a while only. Another value is no fault: other events set it too. Adds to what was compared `before`.
 */
export async function comparePersons(
  service: ServiceEvents,
  events: readonly SentEvent[],
  before: PersonValues | undefined,
): Promise<PersonValues | undefined> {
  const setting = events.filter((event) => Object.keys(valuesOf(event)).length > 0)
  if (setting.length === 0) return before
  const days = setting.map(({ timestamp }) => timestamp.slice(0, 10)).sort()
  const rows = await service.persons(days[0]!, days.at(-1)!, [...new Set(setting.map(({ uuid }) => uuid))])
  const persons = new Map(rows.map((row) => [`${row.uuid} ${row.distinctId}`, objectOf(row.properties)]))
  let { compared, equal } = before ?? { compared: 0, equal: 0 }
  for (const event of setting) {
    const person = persons.get(`${event.uuid} ${event.distinct_id}`) ?? {}
    for (const [name, value] of Object.entries(valuesOf(event))) {
      compared++
      if (storedEqual(value, ownOf(person, name))) equal++
    }
  }
  return { compared, equal }
}

function valuesOf({ properties: { $set, $set_once, $process_person_profile } }: SentEvent): JsonObject {
  if ($process_person_profile === false) return {}
  return { ...(isJsonObject($set_once) && $set_once), ...(isJsonObject($set) && $set) }
}

function objectOf(text: string): JsonObject {
  const value: unknown = JSON.parse(text === '' ? '{}' : text)
  return isJsonObject(value) ? value : {}
}
