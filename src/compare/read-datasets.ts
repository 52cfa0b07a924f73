import { type EventFiles, JOINED_ID, joinedIds, readEvents } from '../checks/index.ts'
import { type Head, isNeverJoined } from '../record/index.ts'
import { type EventsManifest, readParts, type Store } from '../store/index.ts'
import { type ChartTables, copiesIn } from './chart-tables.ts'
import { EventReader } from './event-facts.ts'
import { JOINED_TABLE, joinPeople, LINK_COLUMNS, LINKS_TABLE } from './joined-people.ts'
import { IdHash } from './line-facts.ts'

/** The events of all datasets, once each: `name`, `instant`, `id`, `person`, `generated`, `personless`, `p0`, `p1` … */
export const EVENTS_TABLE = 'events'
const READ_TABLE = 'read_events'

/** A finished dataset. */
export interface EventsPlace {
  readonly store: Store
  readonly manifest: EventsManifest
}

export interface TableReading {
  /** Final names of the properties that charts ask for. */
  readonly properties: readonly string[]
  readonly signal: AbortSignal
  /** The events that the import of the datasets made itself. */
  readonly own?: EventFiles | undefined
}

/**
 * Reads the parts of datasets, in the order in which they are imported, into the tables of events and of joined people.
 * Code `mismatch` if a part is not what its manifest names.
 */
export async function readDatasets(
  tables: ChartTables,
  datasets: readonly EventsPlace[],
  { properties, signal, own }: TableReading,
): Promise<void> {
  const reader = new EventReader(properties)
  const hash = new IdHash()
  const isSeveral = datasets.length > 1
  const events = await tables.fill(READ_TABLE, [
    ['seq', 'BIGINT'],
    ['name', 'VARCHAR'],
    ['instant', 'BIGINT'],
    ['id', 'UBIGINT'],
    ['identity', 'UBIGINT'],
    ['generated', 'BOOLEAN'],
    ['personless', 'BOOLEAN'],
    ...properties.map((_, at) => [`p${at}`, 'VARCHAR'] as const),
  ])
  const links = await tables.fill(LINKS_TABLE, LINK_COLUMNS)
  let seq = 0
  const each = (line: Buffer, head: Head, isOwn = false) => {
    const facts = reader.read(line, line.length, head)
    const { name, instant, id, isPersonless, values } = facts
    const isGenerated = isOwn || reader.isGenerated(line, line.length, facts)
    const identity = isSeveral ? reader.identity(line, head) : undefined
    events.row([seq, name, instant, id, identity, isGenerated, isPersonless, ...values])
    if (JOINED_ID.has(name)) {
      const joined = joinedIds(line, head, name)
      if (joined !== undefined && typeof joined.other === 'string' && mayJoin(joined.user, joined.other))
        links.row([seq, name === '$merge_dangerously', id, hash.ofText(joined.other)])
    }
    seq++
  }
  for (const { store, manifest } of datasets) {
    await readParts(store, manifest.parts, {
      each: (line, head) => each(line, head),
      between: async () => signal.throwIfAborted(),
      // Lines of parts that somebody made by hand, and that are no event lines.
      unreadable: () => undefined,
    })
  }
  if (own) await readEvents(own, (line, head) => each(line, head, true))
  events.close()
  links.close()
  await joinPeople(tables, READ_TABLE)
  await finish(tables, properties, isSeveral)
}

function mayJoin(user: string, other: string): boolean {
  return user !== other && !isNeverJoined(user) && !isNeverJoined(other)
}

/** Puts each event's person beside it. An event that several datasets have is one to the service. */
async function finish(tables: ChartTables, properties: readonly string[], isSeveral: boolean): Promise<void> {
  const values = properties.map((_, at) => `, p${at}`).join('')
  const once = isSeveral ? `WHERE seq NOT IN (${copiesIn(READ_TABLE, 'identity')})` : ''
  await tables.run(`
    CREATE OR REPLACE TABLE ${EVENTS_TABLE} AS
    SELECT name, instant, id, coalesce(j.person, id) AS person, generated, personless${values}
    FROM ${READ_TABLE} LEFT JOIN ${JOINED_TABLE} j USING (id) ${once};
    DROP TABLE ${READ_TABLE}`)
}
