import type { FoundCell } from './compare.ts'
import type { AskedWindow } from './expected.ts'

/** What tells an event in the service apart from the others of its day. */
export interface FoundId {
  readonly uuid: string
  readonly event: string
  readonly distinctId: string
}

/** The same, and its time, or the first of its times, in microseconds. */
interface FoundTime extends FoundId {
  readonly instant: number
}

export interface FoundEvent extends FoundId {
  /** In UTC: `2024-03-01 12:34:56.789` with 3 or 6 decimals. */
  readonly timestamp: string
  /** JSON text. */
  readonly properties: string
  /** Its column for the clicked elements, which takes the place of two properties. */
  readonly elementsChain: string
  /** For how many days the service has had it. */
  readonly ageDays: number
}

interface IdFilter {
  readonly day: string
  readonly importIds: readonly string[] | null
  /** As in `cells`. */
  readonly unreadable: boolean
  /** Undefined: events of all names. */
  readonly names: readonly string[] | undefined
  /** The events whose `uuidShare` of `of` is `part`. */
  readonly share: { readonly part: number; readonly of: number }
}

/** What an audit asks the service. Commands pass the client in as this. */
export interface ServiceEvents {
  /** `unreadable`: with the events whose properties are one text that has the id, which costs more. */
  cells(window: AskedWindow, unreadable?: boolean): AsyncIterable<FoundCell>
  /** True if it keeps all properties of some events of these days as one text. */
  hasUnreadable(first: string, last: string): Promise<boolean>
  hasName(name: string): Promise<boolean>
  /** The ids of events, each once. */
  ids(filter: IdFilter): AsyncIterable<readonly FoundTime[]>
  /** All events of these days with these uuids; copies that are not merged yet are there several times. */
  events(first: string, last: string, uuids: readonly string[]): Promise<readonly FoundEvent[]>
}
