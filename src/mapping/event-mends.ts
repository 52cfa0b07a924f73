import type { ByteWriter } from '../record/byte-writer.ts'
import type { Id } from '../record/id.ts'
import { members } from '../record/json-values.ts'
import { keyOf, keys } from '../record/keys.ts'
import { holdsBigInteger, type Mends } from '../record/mend.ts'
import { isNeverJoined, isNobody, isNobodyId } from '../record/nobody.ts'
import { cleanDistinctId } from '../record/rules.ts'
import { deepAsText, mayBeDeep } from '../record/stored-properties.ts'
import { textIn } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import { MENDED } from './fates.ts'
import { Rejection } from './preset.ts'

/** Identity events, and the property that holds the id they link to the event's own. */
const LINKED: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

/**
 * Refuses an identity event of an id that stands for nobody: it would make one person of all who share it. `isOwnForm` is
 * true for events as the service has them: of these, one that names a word which the service joins to nobody stays.
 *
 * Cleans the id that an identity event links, as events clean their own: else the link would be to nobody. A number
 * becomes its digits, as it does for a distinct_id. The service drops the event where the id is of another kind.
 */
export function cleanLinkedId(draft: EventDraft, sender: Id, mends: Mends, isOwnForm: boolean): void {
  const name = LINKED.get(draft.event)
  if (name === undefined) return
  if (isNobodyId(sender)) throw ofNobody(draft.event, 'is about', sender.text)
  const json = draft.properties.json(keyOf(name))
  if (json === undefined || json === 'null') return
  if (/^[tf[{]/.test(json))
    throw new Rejection('linked_id_not_text', `${name} is neither a string nor a number`)
  const given = textIn(json)
  const id = cleanDistinctId(given)
  // One that is blank or too long links nobody: it stays as it is.
  if (typeof id !== 'string') return
  if (isNobody(id) && !(isOwnForm && isNeverJoined(id))) throw ofNobody(draft.event, 'names', id)
  if (id.length < given.length) mends.id_trimmed++
  mends.lone_surrogate += nulsIn(given)
  if (id !== given || json === given) draft.rewrite('property', name, JSON.stringify(id), MENDED)
}

/** NULs of a name or an id, each of which the service stores as U+FFFD. */
export function nulsIn(text: string): number {
  return text.split('\0').length - 1
}

function ofNobody(event: string, verb: string, id: string): Rejection {
  return new Rejection(
    'identity_of_nobody',
    `${event} ${verb} the id ${JSON.stringify(id)}, which stands for nobody in particular`,
  )
}

const GROUP_SET = keyOf('$group_set')

/** Counts the properties of an event, of its person and of its group that hold a number which the service rounds. */
export function countBigIntegers(draft: EventDraft, tally: Record<string, number>): void {
  const count = (name: string, value: Buffer, start: number, end: number) => {
    if (holdsBigInteger(value, start, end)) tally[name] = (tally[name] ?? 0) + 1
  }
  for (const part of [draft.properties, draft.toSet, draft.toSetOnce]) {
    part.visit((key, value, start, end) => {
      if (key !== GROUP_SET) return count(keys.text(key), value, start, end)
      // The user knows the group's properties by their own names.
      for (const [name, json] of members(value.toString('utf8', start, end))) {
        const bytes = Buffer.from(json)
        count(name, bytes, 0, bytes.length)
      }
    })
  }
}

/**
 * Makes text of arrays that are nested deeper than the service can query: in an event line, and in the states of groups,
 * which become events of their own. Counts each.
 */
export function flattenArrays(line: ByteWriter, { groupStates }: EventDraft, mends: Mends): void {
  const count = () => mends.deep_array++
  const flat = mayBeDeep(line.bytes, 0, line.length) && deepAsText(line.bytes, 0, line.length, count)
  if (flat) {
    line.length = 0
    line.copy(flat, 0, flat.length)
  }
  groupStates.forEach((state, index) => {
    const bytes = Buffer.from(state.json)
    const json = deepAsText(bytes, 0, bytes.length, count)?.toString()
    if (json !== undefined) groupStates[index] = { ...state, json }
  })
}
