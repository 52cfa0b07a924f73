import type { SpreadRecord } from '../../inputs/spread.ts'
import { pathSegments } from '../../mapping/member-path.ts'
import { elements, isJson, members } from '../../record/json-values.ts'
import { firstFew, plural } from '../../text/words.ts'
import { isCount } from '../profile/fitness.ts'
import { lastName, plain } from '../profile/member.ts'
import { type Profile, profilesOf } from '../profile/profiles-of.ts'
import { castRoles, type Roles } from '../profile/roles.ts'
import { askedApart, type Facts } from './draft-facts.ts'
import { inComment } from './yaml-text.ts'

interface KindsDraft {
  readonly lines: readonly string[]
  /** Of tables of different kinds, the file of the first. */
  readonly firstOfKinds?: string
}

/** What is said of records that no one mapping makes events of: tables of different kinds, or many events in one object. */
export function noEvents(
  facts: Facts,
  records: readonly SpreadRecord[],
  texts: readonly string[],
  now: number,
): KindsDraft | undefined {
  const { preset, recognised, list, counts, isText, roles } = facts
  if (preset !== 'events' || list !== undefined || counts.length > 0) return undefined
  const apart = isText ? undefined : (columnsDraft(texts) ?? objectDraft(texts, now))
  return apart ?? (recognised ? undefined : unlikeTables(records, roles))
}

/** What is said of tables that are written by columns, as pandas writes them: no mapping cuts them either. */
function columnsDraft(texts: readonly string[]): KindsDraft | undefined {
  const rows = texts.slice(0, MOST_RECORDS).map(rowsByColumns)
  if (rows.length === 0 || rows.includes(0)) return undefined
  const text = `the values stand by columns, as in a table that pandas wrote: as it is, each record becomes one event. jq -c '(first(.[]) | keys_unsorted[]) as $i | map_values(.[$i])' FILE > events.ndjson writes each row on a line: are they the events?`
  return { lines: askedApart(text) }
}

/** How many rows there are where each member is a column, by index or as a list; 0 of other objects. */
function rowsByColumns(json: string): number {
  const columns = members(json).map(([, value]) => {
    if (value.startsWith('[')) return elements(value).length
    const cells = value.startsWith('{') ? members(value) : []
    return cells.every(([index]) => /^\d+$/.test(index)) ? cells.length : 0
  })
  const [rows = 0] = columns
  return columns.length > 1 && rows > 1 && columns.every((length) => length === rows) ? rows : 0
}

const FEWEST = 2
const MOST_RECORDS = 100
/** Objects that share fewer of their names are not of one kind. */
const MOST_ALIKE = 0.5

/**
 * What is said of records whose members are records themselves, by ids as a key-value store has them. No mapping cuts them: each
 * is one event, which has none of their values.
 */
function objectDraft(records: readonly string[], now: number): KindsDraft | undefined {
  const texts = records.slice(0, MOST_RECORDS)
  const names = new Set(texts.flatMap((text) => members(text).map(([name]) => name)))
  for (const name of [undefined, ...names]) {
    const maps = texts.map((text) =>
      name === undefined ? text : (members(text).findLast(([own]) => own === name)?.[1] ?? ''),
    )
    const found = maps.map((map) => objectsIn(map))
    const children = found.flatMap((all) => all?.map(([, json]) => json) ?? [])
    // One object in each is a detail of the record.
    const holders = found.filter((one) => one !== undefined).length
    if (holders === 0 || children.length < FEWEST * holders || !areAlike(children)) continue
    if (name === undefined && holders < found.length) continue
    const ids = found.flatMap((all) => all?.map(([id]) => id) ?? [])
    // Names that come again in other records are of members.
    if (new Set(ids).size <= ids.length / 2) continue
    const { event, timestamp, distinct_id } = castRoles(profilesOf(children, { now }), children)
    const where = name === undefined ? '' : ` in ${inComment(name)}`
    const path = `${name === undefined ? '' : `.[${JSON.stringify(name)}] | `}to_entries[] | {key} + .value`
    if (!timestamp || !(event?.isSure || distinct_id)) continue
    const text = `${plural(children.length, 'object')}${where} look like events, by ids such as ${firstFew(ids.map(inComment), 3)}: as it is, each record becomes one event. jq -c '${path}' FILE > events.ndjson writes each on a line: are they the events?`
    return { lines: askedApart(text) }
  }
  return undefined
}

/** The members of an object that has objects only; undefined of others. */
function objectsIn(json: string): Array<[name: string, json: string]> | undefined {
  if (!json.startsWith('{')) return undefined
  const all = members(json)
  return all.length > 0 && all.every(([, value]) => value.startsWith('{')) ? all : undefined
}

function areAlike(objects: readonly string[]): boolean {
  const counts = new Map<string, number>()
  let most = 0
  for (const json of objects) {
    const names = members(json).map(([name]) => name)
    most = Math.max(most, names.length)
    for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  const shared = [...counts.values()].filter((count) => count >= objects.length * MOST_ALIKE).length
  return most > 0 && shared >= most * MOST_ALIKE
}

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
function unlikeTables(records: readonly SpreadRecord[], roles: Roles): KindsDraft | undefined {
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
  return { lines: askedApart(text), firstOfKinds: tables[0]!.file }
}

function tablesOf(records: readonly SpreadRecord[]): Table[] {
  const found = new Map<string, Table>()
  for (const { bytes, input } of records) {
    const text = bytes.toString('utf8')
    if (input.table === undefined || !isJson(text) || !/^\s*\{/.test(text)) continue
    const table = found.get(input.table) ?? {
      name: input.table,
      file: input.member ? input.name : input.path,
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

/** Measures that stand beside counts. */
const MEASURE =
  /(?:duration|rate|average|avg|percent|share|bounce|depth|time|revenue|per(?:user|session|visit))/
/** A report with a column for each day. */
const DAY_NAME = /^\d{4}-\d\d(?:-\d\d)?(?:[T ][\d:.Z]+)?$|^(?:[A-Z][a-z]{2} \d{1,2}(?:, \d{4})?)$/
const MIN_COUNTS = 2

/** The columns of rows that sum up a day, a page or a source; empty for rows that are no sums. */
export function countsOf(profiles: readonly Profile[], { distinct_id: person, uuid }: Roles): Profile[] {
  if (person || uuid?.isSure) return []
  const filled = profiles.filter(({ member }) => member.texts.length > 0)
  const counts = filled.filter(
    (one) => isCount(one) || (one.kind.kind === 'number' && DAY_NAME.test(one.member.name)),
  )
  const others = filled.filter(
    (one) => one.kind.kind === 'number' && !counts.includes(one) && MEASURE.test(plain(one.member.name)),
  )
  const isOfOne = filled.some(({ kind, distinct, member }) => {
    return ['email', 'UUID', 'user agent'].includes(kind.kind) && distinct > member.texts.length / 2
  })
  return isOfOne || counts.length === 0 || counts.length + others.length < MIN_COUNTS ? [] : counts
}

/** Times of a person's life: they tell when somebody came, and nothing that happened. */
const OF_LIFE =
  /^(?:(?:user|customer|contact|account|member|person|lead|profile)?(?:created?|updated?|modified|changed|registered|signedup|signup|joined|subscribed|optin|added|lastseen|lastlogin|lastactive|firstseen|birth|birthday|dateofbirth|dob|registration|creation|lastmodified|lastupdated|confirm|optintime|confirmtime)(?:at|on|date|time|day)?|date(?:created|added|joined|registered|ofbirth)|membersince|geburtsdatum|geburtstag|angelegtam|erstelltam|registriertam)$/
const PERSONS_NAME =
  /^(?:(?:first|last|full|display|given|family|middle|user|sur|contact|customer)?name|vorname|nachname|nom|prenom|nombre|apellidos?)$/
const PERSON_OF = /^(?:signups?|waitlist|crm|audience|newsletter|accounts?|mailchimp|hubspot|employees|team)/i
/** What only a row that happened has. */
const HAPPENED =
  /^(?:total|amount|price|quantity|subtotal|order|orderid|ordernumber|invoice|currency|sku|status|url|page)/

/**
 * True where a row says who somebody is: no member names an event surely, a unique e-mail stands beside a name of people, and
 * all times are of a person's life.
 */
export function arePeople(
  profiles: readonly Profile[],
  { event }: Roles,
  table: string | undefined,
): boolean {
  if (event?.isSure) return false
  const filled = profiles.filter(({ member }) => member.texts.length > 0)
  const times = filled.filter(({ kind }) => kind.kind === 'time')
  const called = (pattern: RegExp) =>
    filled.filter(({ member }) => pattern.test(plain(lastName(member.name))))
  const names = called(PERSONS_NAME).filter(({ member }) =>
    member.texts.every((text) => !/[\d@#]/.test(text)),
  )
  const isUnique = ({ member, distinct }: Profile) => distinct >= member.texts.length * 0.95
  return (
    filled.some((one) => one.kind.kind === 'email' && isUnique(one)) &&
    names.length > 0 &&
    times.every(({ member }) => OF_LIFE.test(plain(lastName(member.name)))) &&
    (PERSON_OF.test(table ?? '') || called(HAPPENED).length === 0)
  )
}
