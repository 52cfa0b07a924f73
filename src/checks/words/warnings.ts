import { YOUNG_HOURS } from '../../delivery/pacer.ts'
import { APART_EVENT } from '../../record/stored-properties.ts'
import type { FoundWarning } from '../../service/ingestion-warnings.ts'
import { fold, hung } from '../../text/fold.ts'
import { ownOf } from '../../text/json.ts'
import { visible } from '../../text/visible.ts'
import { number, plural } from '../../text/words.ts'

/** Why events may be missing. */
interface Cause {
  /** A word of ours, or a type of ingestion warnings. */
  readonly cause: string
  /** So many of the missing events it can explain at most. */
  readonly events: number
  /** Has the rejected ones. */
  readonly file?: string | undefined
}

/** What the service warned of in a time, as results have it. Causes, never counts: it samples, and the events of others are among them. */
export interface WarningsFound {
  /** ISO time. */
  readonly since: string
  /** Why they could not be asked for. */
  readonly unasked: string | null
  readonly types: readonly FoundWarning[]
}

const FATES: Readonly<Record<string, string>> = {
  error: 'dropped',
  warning: 'stored, but changed',
  info: 'dropped as the project asks',
}

/** What common types mean. Others stand for themselves. */
const MEANINGS: Readonly<Record<string, string>> = {
  message_size_too_large: 'too large, with what PostHog adds to it',
  person_properties_size_violation: "the person's properties are too large",
  group_key_too_long: 'a group key over 400 characters',
  cannot_merge_already_identified: 'both ids belong to persons already',
  cannot_merge_with_illegal_distinct_id: 'an id that stands for no one person, such as guest',
  event_dropped_too_old: 'older than the project setting drop_events_older_than allows',
  schema_validation_failed: 'the event does not fit the schema that the project enforces',
  event_dropped_by_transformation: 'a transformation of the project drops it',
  high_volume_distinct_id: 'too many events of one distinct_id in a minute',
  distinct_id_truncated: 'a distinct_id over 200 characters',
  invalid_process_person_profile: 'neither true nor false',
}

/** True of every import: a uuid is made of its record, so that a resend merges. Results count it, and nobody is told. */
const AS_IT_SHOULD_BE = 'event_uuid_not_v7'

/** The warnings that say something of this import. */
export function tellingOf(types: readonly FoundWarning[]): FoundWarning[] {
  return types.filter(({ type }) => type !== AS_IT_SHOULD_BE)
}

/** What our own words for causes mean. */
const CAUSES: Readonly<Record<string, string>> = {
  rejected: 'import rejected them, or the service did',
  over_quota: 'the project is over its quota of events, or was when they were imported',
  kept_apart: `PostHog keeps events named ${APART_EVENT} in a table that queries of events don't show`,
  young: `events younger than ${YOUNG_HOURS} hours can be taken as live ones`,
  not_arrived_yet: 'the import is not finished, or the service still processes its events',
}

/** A cause in words, with how many of the missing events it can explain. */
export function causeText({ cause, events, file }: Cause): string {
  const words = ownOf(CAUSES, cause) ?? cause
  return visible(`${words}${file === undefined ? '' : `, see ${file}`} (up to ${plural(events, 'event')})`)
}

/** What the service warned of, beside the counts. Nothing where there is nothing to say. */
export function warningLines({ since, types, unasked }: WarningsFound): string[] {
  if (unasked !== null) return hung(`ingestion warnings could not be asked for: ${visible(unasked)}`)
  const telling = tellingOf(types)
  if (telling.length === 0) return []
  const from = `${since.slice(0, 16).replace('T', ' ')} UTC`
  const first = `PostHog gave these warnings since ${from}. They are causes, never counts: it samples, and events of other senders are among them`
  return [...hung(first), ...telling.flatMap((one) => fold(warningText(one), '      ', '    '))]
}

/** One warning in a sentence: its type, what became of the events, and an example. */
export function warningText({ type, severity, sampled, example, by }: FoundWarning): string {
  const meaning = Object.hasOwn(MEANINGS, type) ? `: ${MEANINGS[type]}` : ''
  const such = example ? `, such as ${example}` : ''
  const names = by ? ` (${by.join(', ')})` : ''
  return visible(
    `${type}, ${FATES[severity] ?? severity}, ${number(sampled)} sampled${such}${meaning}${names}`,
  )
}
