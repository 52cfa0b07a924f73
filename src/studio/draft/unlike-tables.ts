import type { SpreadRecord } from '../../inputs/spread.ts'
import { pathSegments } from '../../mapping/member-path.ts'
import { isJson, members } from '../../record/json-values.ts'
import { firstFew, plural } from '../../text/words.ts'
import type { Roles } from '../profile/roles.ts'
import { askedApart, type DraftLines } from './draft-facts.ts'
import { inComment } from './yaml-text.ts'

/** Tables that share a larger part of the smaller one's members are of one kind. */
const MOST_SHARED = 0.5
const MOST_TABLES = 8

interface Table {
  readonly name: string
  readonly file: string
  records: number
  /** In how many records each member has a value. */
  readonly filled: Map<string, number>
}

/**
 * What is said of tables of different kinds: they share few members, and some table has no person or no time where the others
 * have it. Undefined where one mapping file fits all.
 */
export function unlikeTables(records: readonly SpreadRecord[], roles: Roles): DraftLines | undefined {
  const tables = tablesOf(records)
  if (tables.length < 2) return undefined
  const fields = [roles.distinct_id, roles.timestamp]
  const isFor = (table: Table) =>
    fields.every((cast) =>
      [cast?.profile, cast?.fallback].some((profile) => {
        const [name] = profile?.member.isPath ? pathSegments(profile.member.name) : [profile?.member.name]
        return name !== undefined && (table.filled.get(name) ?? 0) > table.records / 2
      }),
    )
  const isUnlike = (one: Table, other: Table) => {
    const shared = [...one.filled.keys()].filter((name) => other.filled.has(name)).length
    return shared <= Math.min(one.filled.size, other.filled.size) * MOST_SHARED
  }
  const isOdd = (table: Table) =>
    !isFor(table) && tables.some((other) => other !== table && isUnlike(table, other))
  if (!tables.some(isOdd)) return undefined
  const shown = tables
    .slice(0, MOST_TABLES)
    .map(({ name, filled }) => `${inComment(name)} (${firstFew([...filled.keys()].map(inComment), 4)})`)
  const more = tables.length - shown.length
  const all = `${shown.join(', ')}${more > 0 ? ` and ${plural(more, 'other')}` : ''}`
  const text = `these are tables of different kinds: ${all}. No one mapping file fits them: run init on each, such as posthaul init ${inComment(tables[0]!.file)}, and transform each by its own file. Which do you want to import?`
  return { ...askedApart(text), firstOfKinds: tables[0]!.file }
}

function tablesOf(records: readonly SpreadRecord[]): Table[] {
  const found = new Map<string, Table>()
  for (const { bytes, input } of records) {
    const text = bytes.toString('utf8')
    if (input.table === undefined || !isJson(text) || !/^\s*\{/.test(text)) continue
    const table = found.get(input.table) ?? {
      name: input.table,
      file: input.name,
      records: 0,
      filled: new Map<string, number>(),
    }
    found.set(input.table, table)
    table.records++
    for (const [name, json] of members(text)) {
      if (json !== 'null' && json !== '""') table.filled.set(name, (table.filled.get(name) ?? 0) + 1)
    }
  }
  return [...found.values()]
}
