import type { Refusal } from '../record/rules.ts'
import type { People } from './id-links.ts'
import type { GroupState } from './joined-groups.ts'
import type { Link } from './link.ts'

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

/** What became of one record. For an `event` the line is in the mapper's `out`. */
export type Mapped =
  | {
      readonly status: 'event'
      readonly instant: number
      /** False when the uuid was made from the record's content: twins of a day are told apart when it is sealed. */
      readonly ownId: boolean
      readonly distinctId: string
      readonly anonymousId: string | undefined
      /** Whom `anonymousId` is linked to: the distinctId, unless that is the anonymous id itself. */
      readonly userId: string
      readonly groupStates: readonly GroupState[]
      /** True where another record may tell the same event better. */
      readonly givesWay: boolean
    }
  | ({ readonly status: 'rejected' } & Refusal)
  | {
      readonly status: 'filtered'
      readonly reason: string
      readonly distinctId?: string
      /** What the record shows all the same, at `instant`. */
      readonly link?: Link & { readonly instant: number }
    }
