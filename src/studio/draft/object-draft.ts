import { members } from '../../record/json-values.ts'
import { firstFew, plural } from '../../text/words.ts'
import { profilesOf } from '../profile/profiles-of.ts'
import { castRoles } from '../profile/roles.ts'
import { askedApart, type DraftLines } from './draft-facts.ts'
import { inComment } from './yaml-text.ts'

const FEWEST = 2
const MOST_RECORDS = 100
/** Objects that share fewer of their names are not of one kind. */
const MOST_ALIKE = 0.5

/**
 * What is said of records whose members are records themselves, by ids as a key-value store has them. No mapping cuts them: each
 * is one event, which has none of their values.
 */
export function objectDraft(records: readonly string[], now: number): DraftLines | undefined {
  const texts = records.slice(0, MOST_RECORDS)
  const names = new Set(texts.flatMap((text) => members(text).map(([name]) => name)))
  for (const name of [undefined, ...names]) {
    const maps = texts.map((text) => (name === undefined ? text : memberOf(text, name)))
    const found = maps.map((map) => objectsIn(map))
    const children = found.flatMap((all) => all?.map(([, json]) => json) ?? [])
    // One object in each is a detail of the record.
    const holders = found.filter((one) => one !== undefined).length
    if (holders === 0 || children.length < FEWEST * holders || !areAlike(children)) continue
    if (name === undefined && holders < found.length) continue
    const ids = found.flatMap((all) => all?.map(([id]) => id) ?? [])
    const { event, timestamp, distinct_id } = castRoles(profilesOf(children, { now }), children)
    const where = name === undefined ? '' : ` in ${inComment(name)}`
    const path = name === undefined ? '.[]' : `.[${JSON.stringify(name)}][]`
    if (timestamp && (event?.isSure || distinct_id))
      return askedApart(
        `${plural(children.length, 'object')}${where} look like events, by ids such as ${firstFew(ids.map(inComment), 3)}: as it is, each record becomes one event. jq -c '${path}' FILE > events.ndjson writes each on a line: are they the events?`,
      )
  }
  return undefined
}

function memberOf(text: string, name: string): string {
  return members(text).findLast(([own]) => own === name)?.[1] ?? ''
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
