import type { ByteWriter } from '../record/byte-writer.ts'
import { cleanId, Id } from '../record/id.ts'
import { keyOf } from '../record/keys.ts'
import { isNobody, isNobodyId, isNullWord } from '../record/nobody.ts'
import { cleanDistinctId, type Refusal } from '../record/rules.ts'
import { textIn } from '../record/text.ts'
import type { EventDraft } from './draft.ts'
import type { GroupState } from './joined-groups.ts'
import { Filtered, type IdView, type Preset, Rejection } from './preset.ts'
import type { SlotView } from './slot-view.ts'

export interface MapperOptions {
  /** The clock, in microseconds since the epoch. */
  readonly now: number
  readonly version: string
  readonly switches: ReadonlySet<string>
  /** The value of `$import_job_id`; null for none. */
  readonly importId: string | null
  /** The key of the hashes that `properties.hash` asks for. */
  readonly hashKey?: string | undefined
  /** Whose records are left out; nobody's without it. */
  readonly people?: People | undefined
}

/** A record that became an event. Its line, ids and groups are good until the next record is mapped. */
export class MappedEvent {
  readonly status = 'event'
  /** The event line, without a line end. */
  readonly line: Pick<ByteWriter, 'bytes' | 'words' | 'length'>
  readonly instant: number
  readonly event: string
  /** False when the uuid was made from the record's content: twins of a day are told apart when it is sealed. */
  readonly ownId: boolean
  readonly sender: Id
  /** The ids that the record shows to be one person's. */
  readonly link: Link | undefined
  readonly groupStates: readonly GroupState[]
  /** True where another record may tell the same event better. */
  readonly givesWay: boolean

  constructor(
    line: MappedEvent['line'],
    { instant, event, groupStates }: Pick<MappedEvent, 'instant' | 'event' | 'groupStates'>,
    { sender, link, ownId, givesWay }: Pick<MappedEvent, 'sender' | 'link' | 'ownId' | 'givesWay'>,
  ) {
    this.line = line
    this.instant = instant
    this.event = event
    this.ownId = ownId
    this.sender = sender
    this.link = link
    this.groupStates = groupStates
    this.givesWay = givesWay
  }

  get text(): string {
    return this.line.bytes.toString('utf8', 0, this.line.length)
  }

  get distinctId(): string {
    return this.sender.text
  }
}

export type Mapped =
  | MappedEvent
  | ({ readonly status: 'rejected' } & Refusal)
  | {
      readonly status: 'filtered'
      readonly reason: string
      readonly distinctId?: string
      /** What the record shows all the same, at `instant`. */
      readonly link?: Link & { readonly instant: number }
    }

/** What a record becomes whose mapping threw. Throws again what is a bug. */
export function refusalOf(error: unknown, sender: string): Mapped {
  const distinctId = sender === '' ? {} : { distinctId: sender }
  if (error instanceof Filtered) return { status: 'filtered', reason: error.reason, ...distinctId }
  if (!(error instanceof Rejection || error instanceof RangeError)) throw error
  const reason = error instanceof Rejection ? error.reason : 'timestamp_unparsable'
  return { status: 'rejected', reason, message: error.message, ...distinctId }
}

/** Two ids of one person. */
export interface Link {
  readonly anonymous: Id
  readonly user: Id
}

/**
 * What an anonymous id beside an event's distinct_id shows: it belongs to that user or, where the event is the anonymous
 * id's own, to the user that the preset finds. Undefined where the ids are one, can't be sent, or stand for nobody.
 */
export function linkOf(
  anonymousId: Id | string,
  distinctId: Id,
  preset: Preset,
  record: IdView,
): Link | undefined {
  const anonymous = cleaned(anonymousId)
  if (anonymous === undefined) return undefined
  const user = anonymous.equals(distinctId) ? cleaned(preset.userId?.(record)) : distinctId
  if (user === undefined || user.equals(anonymous)) return undefined
  return isNobodyId(anonymous) || isNobodyId(user) ? undefined : { anonymous, user }
}

function cleaned(id: Id | string | undefined): Id | undefined {
  if (id === undefined) return undefined
  const clean = cleanId(asId(id))
  return clean instanceof Id ? clean : undefined
}

function asId(found: Id | string): Id {
  return typeof found === 'string' ? Id.ofText(found) : found
}

/**
 * The distinct_id: the first that `find` meets and that stands for somebody. Where there is none, a word of a tool's own
 * such as `guest` is it all the same; one that says that there is nothing, such as NULL, isn't. Empty if there is no id.
 */
export function senderOf(view: SlotView, find: () => Id | string | undefined, leavesOutNobody: boolean): Id {
  let found = find()
  if (found === undefined && view.putBackWords()) found = find()
  else view.noteLeftOut()
  const id = asId(found ?? '')
  return leavesOutNobody && isNobodyId(id) && isNullWord(id.text) ? asId('') : id
}

/** Two ids that a record says are one person's. */
export interface IdLink {
  readonly from: string
  readonly to: string
  /** False for an anonymous id: it belongs to the first user it is seen with, and to no later one. */
  readonly firm: boolean
}

export interface RecordIds {
  readonly distinctId: string
  readonly links: readonly IdLink[]
  /** Microseconds. */
  readonly instant: number
}

/** Knows whose records are to be left out. */
export interface People {
  leavesOut(ids: RecordIds): boolean
  isForgotten(id: string): boolean
  isNamedIn(record: string): boolean
}

/** Why such a record is filtered. */
export const FORGOTTEN = 'forgotten'

const ANON_DISTINCT_ID = keyOf('$anon_distinct_id')
const ALIAS = keyOf('alias')
const USER_ID = keyOf('$user_id')

/** What a record's event says of ids. `link` is what the preset found. */
export function linksOf(
  draft: EventDraft,
  distinctId: string,
  link: Link | undefined,
  vendor: string,
): IdLink[] {
  const links: IdLink[] = []
  const add = (from: string | undefined, to: string | undefined, firm: boolean) => {
    if (from === undefined || to === undefined || from === to || isNobody(from) || isNobody(to)) return
    links.push({ from, to, firm })
  }
  if (link) add(link.anonymous.text, link.user.text, false)
  const { event, properties } = draft
  const idIn = (key: number) => sayableId(properties.json(key))
  if (event === '$identify') add(idIn(ANON_DISTINCT_ID), distinctId, false)
  if (event === '$create_alias' || event === '$merge_dangerously') add(idIn(ALIAS), distinctId, true)
  for (const key of [USER_ID, keyOf(`$${vendor}_user_id`)]) add(distinctId, idIn(key), false)
  return links
}

function sayableId(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null' || /^[[{tf]/.test(json)) return undefined
  const id = cleanDistinctId(textIn(json))
  return typeof id === 'string' ? id : undefined
}
