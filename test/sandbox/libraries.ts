import type { Sandbox } from '../../src/sandbox/sandbox.ts'
import { rows } from './harness.ts'

type Properties = Record<string, unknown>

/** A stored event, every column of it, in the order of arrival. */
export interface StoredRow {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
  /** Milliseconds. */
  readonly timestamp: number
  readonly receivedAt: number
  readonly historical: boolean
  readonly groups: readonly string[]
  readonly properties: Properties
}

const COLUMNS =
  'uuid, event, distinct_id, timestamp, created_at, historical_migration, properties, ' +
  '$group_0, $group_1, $group_2, $group_3, $group_4'

/** What the service adds to properties or takes out of them on its own, whatever library sent them. */
const OF_THE_SERVICE = /^\$(ip|geoip_\w+|group_\d|elements_chain|elements)$/

export async function storedRows(sandbox: Sandbox): Promise<StoredRow[]> {
  const stored = await rows(sandbox, `SELECT ${COLUMNS} FROM events ORDER BY created_at, timestamp, uuid`)
  return stored.map((row) => {
    const [uuid, event, distinctId, timestamp, createdAt, historical, properties, ...groups] = row
    return {
      uuid: String(uuid),
      event: String(event),
      distinctId: String(distinctId),
      timestamp: Date.parse(String(timestamp)),
      receivedAt: Date.parse(String(createdAt)),
      historical: historical === true,
      groups: groups.map(String),
      properties: JSON.parse(String(properties)),
    }
  })
}

/** Properties without those that the service alone writes, and without a wish that it deletes when it is the default. */
export function ofTheLibrary(properties: Properties): Properties {
  const kept = Object.entries(properties).filter(
    ([name, value]) => !OF_THE_SERVICE.test(name) && !(name === '$process_person_profile' && value === true),
  )
  return Object.fromEntries(kept)
}
