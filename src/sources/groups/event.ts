import { canonicalJson } from '../../record/canonical.ts'
import { members } from '../../record/cut.ts'
import { EventCompleter } from '../../record/event.ts'
import { GROUP_EVENT, groupSender } from '../../record/group-event.ts'
import { holdsBigInteger } from '../../record/mend.ts'
import type { Refusal } from '../../record/rules.ts'
import { parseTime } from '../../record/time.ts'
import { POSTHAUL_NAMESPACE, uuidV5 } from '../../record/uuid.ts'
import { VERSION } from '../../version.ts'
import type { GroupRecord } from './record.ts'

/** The service cuts a longer key, which would merge groups that share the first 400 characters. */
const MAX_KEY = 400

/** What became of a group. */
export type GroupOutcome =
  | { readonly instant: number }
  | { readonly refusal: Refusal; readonly record: string }

/** Turns groups into `$groupidentify` lines, properties byte for byte. Reusable, not reentrant. */
export class GroupEvents {
  readonly completer: EventCompleter
  /** Group property -> groups in which it holds an integer over 2^53. */
  readonly bigIntegers: Record<string, number> = Object.create(null) as Record<string, number>

  constructor(now: number, bigIntegersAsStrings: boolean) {
    this.completer = new EventCompleter({ now, groupEventName: GROUP_EVENT, bigIntegersAsStrings })
  }

  /** Appends the event line of a group to the completer's writer, or says why it can't be sent. */
  write(type: string, group: GroupRecord): GroupOutcome {
    const { key, createdAt, properties } = group
    const instant = instantOf(createdAt)
    const set = properties === 'null' ? '{}' : properties
    const record = eventText(type, group, instant, set)
    const refusal = checkGroup(key, set) ?? this.#complete(record)
    if (refusal) return { refusal, record }
    this.#noteBigIntegers(set)
    return { instant }
  }

  #complete(record: string): Refusal | undefined {
    const bytes = Buffer.from(record)
    return this.completer.complete(bytes, 0, bytes.length, 0)
  }

  #noteBigIntegers(set: string): void {
    const { big_integers } = this.completer.notes
    if (big_integers.$group_set === undefined) return
    // The completer names the event's property; a user knows the group's.
    delete big_integers.$group_set
    for (const [name, value] of members(set)) {
      const bytes = Buffer.from(value)
      if (holdsBigInteger(bytes, 0, bytes.length)) this.bigIntegers[name] = (this.bigIntegers[name] ?? 0) + 1
    }
  }
}

function checkGroup(key: string, set: string): Refusal | undefined {
  if (key.trim() === '') return { reason: 'group_key_missing', message: 'the key of the group is blank' }
  const length = key.length > MAX_KEY ? [...key].length : 0
  if (length > MAX_KEY) {
    return {
      reason: 'group_key_too_long',
      message: `the key has ${length} characters, the service keeps 400`,
    }
  }
  if (set.startsWith('{')) return undefined
  return { reason: 'group_properties_not_an_object', message: 'the properties of the group are no object' }
}

function eventText(type: string, { key, createdAt }: GroupRecord, instant: number, set: string): string {
  const quote = JSON.stringify
  const properties =
    `"$group_type":${quote(type)},"$group_key":${quote(key)},"$group_set":${set},` +
    `"$geoip_disable":true,"$lib":"posthaul","$lib_version":${quote(VERSION)},"analytics_source":"posthog"`
  return (
    `{"uuid":"${groupUuid(type, key, instant, set)}","timestamp":${quote(createdAt)},"event":"${GROUP_EVENT}",` +
    `"distinct_id":${quote(groupSender(type, key))},"properties":{${properties}}}`
  )
}

/**
 * The same state of the same group is one event however often it is sent, so a second export merges; a changed one is
 * another, so it is not lost. The order of properties says nothing: the list and the query endpoint differ in it.
 */
function groupUuid(type: string, key: string, instant: number, set: string): string {
  return uuidV5(POSTHAUL_NAMESPACE, JSON.stringify(['group', type, key, instant, canonicalJson(set)]))
}

// The completer refuses a time that is none, with its own words.
function instantOf(createdAt: string): number {
  try {
    return parseTime(createdAt)
  } catch {
    return Number.NaN
  }
}
