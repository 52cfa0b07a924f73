import { type Head, headId } from '../record/head.ts'
import { spelledText } from '../record/text.ts'
import { eventIn } from './event-in.ts'

/** The property of an identity event that names the id which it joins to the event's own. */
export const JOINED_ID: ReadonlyMap<string, string> = new Map([
  ['$identify', '$anon_distinct_id'],
  ['$create_alias', 'alias'],
  ['$merge_dangerously', 'alias'],
])

const PERSONLESS = Buffer.from('"$process_person_profile":false')
const KEYS: ReadonlyMap<string, Buffer> = new Map(
  [...JOINED_ID].map(([name, member]) => [name, Buffer.from(`${JSON.stringify(member)}:`)]),
)
const OPEN = 0x7b
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The two ids that an identity event names. */
interface JoinedIds {
  readonly user: string
  /** What stands where the other id should be: not always text. */
  readonly other: unknown
}

/**
 * The ids that an event line of a name in `JOINED_ID` joins; undefined if it names one id only, or if the service makes no
 * person of it. A line that can be read in one way only is not parsed: that takes a tenth of the time.
 */
export function joinedIds(line: Buffer, head: Head, name: string): JoinedIds | undefined {
  const { distinctIdEnd } = head
  const key = KEYS.get(name)!
  const at = line.indexOf(key, distinctIdEnd)
  if (at < 0) return undefined
  const start = at + key.length
  const end = line[start] === QUOTE ? line.indexOf(QUOTE, start + 1) : -1
  const isPlain =
    end > 0 &&
    line[end - 1] !== BACKSLASH &&
    isOfProperties(line, distinctIdEnd, at) &&
    line.indexOf(key, end) < 0 &&
    !line.includes(PERSONLESS)
  if (!isPlain) return parsed(line, JOINED_ID.get(name)!)
  const other = spelledText(line, start + 1, end)
  return other === '' ? undefined : { user: headId(line, head), other }
}

/** True if the member at this place is one of the properties themselves: no object begins between. */
function isOfProperties(line: Buffer, distinctIdEnd: number, at: number): boolean {
  const opens = line.indexOf(OPEN, distinctIdEnd)
  const next = line.indexOf(OPEN, opens + 1)
  return next < 0 || next > at
}

function parsed(line: Buffer, member: string): JoinedIds | undefined {
  const event = eventIn(line.toString('utf8'))
  if (!event || event.properties.$process_person_profile === false) return undefined
  const other = event.properties[member]
  return other === undefined || other === null || other === ''
    ? undefined
    : { user: event.distinct_id, other }
}
