import type { ChartTables } from './chart-tables.ts'

/** Identity events as they arrive: `seq` counts events. Ids are hashes. */
export const LINKS_TABLE = 'links'
export const LINK_COLUMNS = [
  ['seq', 'BIGINT'],
  ['always', 'BOOLEAN'],
  ['user_id', 'UBIGINT'],
  ['other_id', 'UBIGINT'],
] as const

/** By id: the person, told by one of its ids. Only ids that a link names. */
export const JOINED_TABLE = 'joined'

const IDENTIFIED = 1
const KNOWN = 2

/**
 * Who is who after all links, by the service's rule: the person of the other id joins that of the user, unless it is
 * identified already; with `$merge_dangerously` it does in any case. An id without an event of its own so far is new, and is
 * attached to the person of the other one, identified or not. Takes 5 bytes for each id that a link names.
 */
export class PeopleJoin {
  readonly #parent: Int32Array
  readonly #flags: Uint8Array

  constructor(ids: number) {
    this.#parent = Int32Array.from({ length: ids }, (_, at) => at)
    this.#flags = new Uint8Array(ids)
  }

  /** `isUserNew`, `isOtherNew`: it had no event before this one. */
  join(user: number, other: number, { isUserNew, isOtherNew, always }: LinkState): void {
    if (user === other) return
    const flags = this.#flags
    const isNew = (isUserNew && !(flags[user]! & KNOWN)) || (isOtherNew && !(flags[other]! & KNOWN))
    // The user has this event itself.
    flags[other]! |= KNOWN
    const [into, from] = [this.rootOf(user), this.rootOf(other)]
    const isRefused = !isNew && !always && into !== from && (flags[from]! & IDENTIFIED) !== 0
    if (!isRefused) this.#parent[from] = into
    flags[into]! |= IDENTIFIED
  }

  rootOf(id: number): number {
    const parent = this.#parent
    let root = id
    while (parent[root] !== root) {
      parent[root] = parent[parent[root]!]!
      root = parent[root]!
    }
    return root
  }
}

interface LinkState {
  readonly isUserNew: boolean
  readonly isOtherNew: boolean
  readonly always: boolean
}

/** Where links are read from, and where the people that they make are written. */
const OF_EVENTS: { readonly links: string; readonly joined: string } = {
  links: LINKS_TABLE,
  joined: JOINED_TABLE,
}

/** Makes the table of joined ids, of the links and of `events`, a table with `seq`, `id` and `personless`. */
export async function joinPeople(
  tables: ChartTables,
  events: string,
  { links: from, joined }: typeof OF_EVENTS = OF_EVENTS,
): Promise<void> {
  await tables.run(`
    CREATE OR REPLACE TABLE linked AS
    SELECT (row_number() OVER () - 1)::INTEGER AS number, id, first FROM (
      SELECT ids.id, coalesce(min(e.seq), ${Number.MAX_SAFE_INTEGER}) AS first
      FROM (SELECT user_id AS id FROM ${from} UNION SELECT other_id FROM ${from}) ids
      LEFT JOIN (SELECT id, seq FROM ${events} WHERE NOT personless) e ON e.id = ids.id
      GROUP BY ids.id
    )`)
  const [[count] = [0]] = await tables.rows('SELECT count(*) FROM linked')
  const people = new PeopleJoin(Number(count))
  const links = tables.stream(`
    SELECT u.number, o.number, u.first >= l.seq, o.first >= l.seq, l.always
    FROM ${from} l JOIN linked u ON u.id = l.user_id JOIN linked o ON o.id = l.other_id ORDER BY l.seq`)
  for await (const rows of links) {
    for (const [user, other, isUserNew, isOtherNew, always] of rows)
      people.join(Number(user), Number(other), {
        isUserNew: isUserNew === true,
        isOtherNew: isOtherNew === true,
        always: always === true,
      })
  }
  const roots = await tables.fill('roots', [
    ['number', 'BIGINT'],
    ['root', 'BIGINT'],
  ])
  for (let number = 0; number < Number(count); number++) roots.row([number, people.rootOf(number)])
  roots.close()
  await tables.run(`
    CREATE OR REPLACE TABLE ${joined} AS
    SELECT l.id, p.id AS person FROM linked l JOIN roots r USING (number) JOIN linked p ON p.number = r.root;
    DROP TABLE linked; DROP TABLE roots`)
}
