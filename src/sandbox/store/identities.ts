import type { DuckDBConnection } from '@duckdb/node-api'
import type { Warning, WarningType } from '../warnings.ts'
import { LOG_TABLE, personId, REFUSED_TABLE } from './schema.ts'

/** The most bytes of a person's properties as JSON text. */
const MAX_PERSON_BYTES = 655_360

// Most persons are far below: only those are looked at whose updates could reach the limit, were all of them kept.
const UPDATES = `
  WITH updates AS (
    SELECT person_id, seq, set_fields, set_once_fields, unset_fields,
      coalesce(strlen(set_fields), 0) + coalesce(strlen(set_once_fields), 0) AS bytes
    FROM ${LOG_TABLE} JOIN person_distinct_ids USING (distinct_id)
    WHERE set_fields IS NOT NULL OR set_once_fields IS NOT NULL OR unset_fields IS NOT NULL
  )
  SELECT CAST(person_id AS VARCHAR), seq, set_fields, set_once_fields, unset_fields FROM updates
  WHERE person_id IN (SELECT person_id FROM updates GROUP BY person_id HAVING sum(bytes) > ${MAX_PERSON_BYTES})
  ORDER BY person_id, seq`

/** Finds the events whose changes of a person are refused: with them its properties would be too large. Yields their seq. */
async function* oversizedUpdates(connection: DuckDBConnection): AsyncGenerator<bigint> {
  const updates = await connection.stream(UPDATES)
  let at: unknown
  let person = new PersonSize()
  for await (const rows of updates.yieldRows()) {
    for (const [id, seq, set, setOnce, unset] of rows) {
      if (id !== at) person = new PersonSize()
      at = id
      if (!person.update(read(setOnce), read(set), Object.values(read(unset)))) yield BigInt(String(seq))
    }
  }
}

/** The bytes of one person's properties, by name. */
class PersonSize {
  #sizes = new Map<string, number>()

  /** False if the person would be too large, and stays as it is. */
  update(setOnce: Fields, set: Fields, unset: readonly unknown[]): boolean {
    const sizes = new Map(this.#sizes)
    for (const [name, value] of Object.entries(setOnce))
      if (!sizes.has(name)) sizes.set(name, bytes(name, value))
    for (const [name, value] of Object.entries(set)) sizes.set(name, bytes(name, value))
    for (const name of unset) sizes.delete(String(name))
    const sum = [...sizes.values()].reduce((all, size) => all + size, 1)
    if (sum > MAX_PERSON_BYTES) return false
    this.#sizes = sizes
    return true
  }
}

type Fields = Readonly<Record<string, unknown>>

function read(text: unknown): Fields {
  return text === null ? {} : JSON.parse(String(text))
}

/** A member with its comma or brace. */
function bytes(name: string, value: unknown): number {
  return Buffer.byteLength(JSON.stringify({ [name]: value })) - 1
}

// Ids that name no person; the service never merges them. The first list holds in any case, the second as written.
const PLACEHOLDERS = new Set(
  'anonymous guest distinctid distinct_id id not_authenticated email undefined true false'.split(' '),
)
const EXACT_PLACEHOLDERS = new Set(['[object Object]', 'NaN', 'None', 'none', 'null', '0'])

/** One identity event: it joins `other` to the person of `distinctId`. */
export interface Join {
  readonly event: string
  readonly distinctId: string
  readonly other: string
  /** Which of the two had an event before. */
  readonly known: readonly string[]
}

/** Who is who: distinct ids joined to persons by identity events, in the order of arrival. */
export class PersonIndex {
  readonly #parents = new Map<string, string>()
  readonly #identified = new Set<string>()
  readonly #attached = new Set<string>()

  /** Joins, or says as a warning's type why it does not. */
  apply({ event, distinctId, other, known }: Join): WarningType | undefined {
    if (distinctId === other) return undefined
    if (isPlaceholder(distinctId) || isPlaceholder(other)) return 'cannot_merge_with_illegal_distinct_id'
    const isNew = (id: string) => !this.#parents.has(id) && !known.includes(id)
    // A new id is attached to the person of the other one, identified or not.
    if (!isNew(other)) {
      if (isNew(distinctId)) return this.#attach(distinctId, this.rootOf(other))
    } else return this.#attach(other, this.rootOf(distinctId))
    const into = this.rootOf(distinctId)
    const from = this.rootOf(other)
    // Only $merge_dangerously takes an id from an identified person.
    const isRefused = into !== from && this.#identified.has(from) && event !== '$merge_dangerously'
    if (!isRefused) this.#link(from, into)
    this.#identify(into)
    return isRefused ? 'cannot_merge_already_identified' : undefined
  }

  #attach(id: string, root: string): undefined {
    this.#attached.add(id)
    this.#link(id, root)
    this.#identify(root)
  }

  #link(from: string, into: string): void {
    this.#parents.set(from, into)
    if (from !== into) this.#identified.delete(from)
  }

  #identify(root: string): void {
    this.#parents.set(root, root)
    this.#identified.add(root)
  }

  rootOf(id: string): string {
    let root = id
    for (let parent = this.#parents.get(root); parent !== undefined && parent !== root; ) {
      root = parent
      parent = this.#parents.get(root)
    }
    // Point every id on the way to the root, so that the next search is short.
    for (let at = id; at !== root; ) {
      const next = this.#parents.get(at)!
      this.#parents.set(at, root)
      at = next
    }
    return root
  }

  /** Every id that an identity event touched: its person's first id, and whether it was attached to a person that was there. */
  *joined() {
    for (const id of this.#parents.keys()) {
      const root = this.rootOf(id)
      yield { id, root, identified: this.#identified.has(root), attached: this.#attached.has(id) }
    }
  }
}

function isPlaceholder(id: string): boolean {
  const bare = id.replace(/^(["'])(.*)\1$/, '$2')
  return bare.trim() === '' || PLACEHOLDERS.has(bare.toLowerCase()) || EXACT_PLACEHOLDERS.has(bare)
}

const JOINS = `
  WITH first AS (SELECT distinct_id, min(seq) AS seq FROM ${LOG_TABLE} WHERE profile GROUP BY distinct_id)
  SELECT l.seq, l.event, l.distinct_id, l.joins, own.seq < l.seq, coalesce(other.seq < l.seq, false)
  FROM ${LOG_TABLE} l JOIN first own ON own.distinct_id = l.distinct_id
  LEFT JOIN first other ON other.distinct_id = l.joins
  WHERE l.joins IS NOT NULL AND l.profile ORDER BY l.seq`

const DISTINCT_IDS = `
  CREATE OR REPLACE TEMP TABLE person_distinct_ids AS
  SELECT distinct_id, ${personId('root')} AS person_id, identified, attached FROM (
    SELECT ids.distinct_id, coalesce(j.root, ids.distinct_id) AS root, coalesce(j.identified, false) AS identified,
      coalesce(j.attached, false) AS attached
    FROM (
      SELECT DISTINCT distinct_id FROM ${LOG_TABLE} WHERE profile UNION SELECT distinct_id FROM sandbox_joined
    ) ids LEFT JOIN sandbox_joined j USING (distinct_id)
  )`

/** Rebuilds \`person_distinct_ids\` and the table of what the persons' store refuses, from the log. */
export async function rebuildIdentities(connection: DuckDBConnection): Promise<void> {
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE ${REFUSED_TABLE} (seq BIGINT, type VARCHAR);
    CREATE OR REPLACE TEMP TABLE sandbox_joined (distinct_id VARCHAR, root VARCHAR, identified BOOLEAN, attached BOOLEAN)`,
  )
  const refused = await connection.createAppender(REFUSED_TABLE, 'main', 'temp')
  const refuse = (seq: bigint, type: WarningType): void => {
    refused.appendBigInt(seq)
    refused.appendVarchar(type)
    refused.endRow()
  }
  const index = new PersonIndex()
  const joins = await connection.stream(JOINS)
  for await (const rows of joins.yieldRows()) {
    for (const [seq, event, id, joined, isKnown, isOtherKnown] of rows) {
      const [distinctId, other] = [String(id), String(joined)]
      const known = [...(isKnown ? [distinctId] : []), ...(isOtherKnown ? [other] : [])]
      const type = index.apply({ event: String(event), distinctId, other, known })
      if (type) refuse(BigInt(String(seq)), type)
    }
  }
  const appender = await connection.createAppender('sandbox_joined', 'main', 'temp')
  for (const { id, root, identified, attached } of index.joined()) {
    appender.appendVarchar(id)
    appender.appendVarchar(root)
    appender.appendBoolean(identified)
    appender.appendBoolean(attached)
    appender.endRow()
  }
  appender.closeSync()
  await connection.run(DISTINCT_IDS)
  for await (const seq of oversizedUpdates(connection)) refuse(seq, 'person_properties_size_violation')
  refused.closeSync()
}

/** What the persons' store refused, oldest first: merges, and changes that make a person too large. */
export async function refusals(connection: DuckDBConnection): Promise<Warning[]> {
  await rebuildIdentities(connection)
  const found = await connection.runAndReadAll(
    `SELECT type, CAST(uuid AS VARCHAR), distinct_id, joins, epoch_ms(received_at)
    FROM ${REFUSED_TABLE} JOIN ${LOG_TABLE} USING (seq) ORDER BY seq`,
  )
  return found.getRows().map(([type, uuid, id, joins, at]) => {
    const [eventUuid, distinctId] = [String(uuid), String(id)]
    const details = { eventUuid, distinctId, ...(joins !== null && { otherDistinctId: joins }) }
    return { type: type as WarningType, at: Number(at), eventUuid, distinctId, details }
  })
}
