import type { ByteWriter } from '../record/byte-writer.ts'
import type { Id } from '../record/id.ts'
import type { Refusal } from '../record/rules.ts'
import type { GroupState } from './joined-groups.ts'
import type { Link, People } from './link.ts'
import { Filtered, Rejection } from './preset.ts'

export interface MapperOptions {
  /** The clock, in microseconds since the epoch. */
  readonly now: number
  readonly version: string
  readonly switches: ReadonlySet<string>
  /** The name that group events are sent under. */
  readonly groupEventName: string
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
  /** The distinct_id that is sent. */
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

  /** The line as text. */
  get text(): string {
    return this.line.bytes.toString('utf8', 0, this.line.length)
  }

  get distinctId(): string {
    return this.sender.text
  }
}

/** What became of one record. */
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
