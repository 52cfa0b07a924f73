import type { RateLimiter } from '../http/rate-limiter.ts'
import type { RetryOptions } from '../http/retry.ts'
import type { WindowSpan } from './window.ts'

/** Names from a record down to a value. */
export type MemberPath = readonly string[]

/** Where a vendor's raw records have what the vendor's own report counts them by. */
export interface CountedBy {
  readonly event: string
  /** The event's time: the first of these that the record has. */
  readonly times: readonly MemberPath[]
  /**
   * Records in which the event and all of these are the same count once. A record that lacks one of them counts for
   * itself. Without any, every record counts.
   */
  readonly identity: readonly MemberPath[]
  /** Events that the export has and the report does not count. */
  readonly uncounted: readonly string[]
}

/** One thing to fetch. It becomes one part. */
export interface ExportPiece {
  /** The window's name, or what else the part holds (`profiles`). The part's file has this name. */
  readonly name: string
  /** The request in a form for people: method, address and parameters, without secrets. */
  readonly asks: string
  /** Until this time (ms since the epoch) the vendor may still add data. */
  readonly finalAt: number
  /**
   * The span of a window of events, and how its records are counted; undefined for profiles, persons and groups. Where the
   * source has a range, the span is what more events can still come of while the window is not final.
   */
  readonly events?: { readonly span: WindowSpan; readonly by: CountedBy }
  /** NDJSON, as the vendor has it. Throws if the answer is not complete, at the latest at its end. */
  fetch(call: PieceCall): AsyncIterable<Buffer>
}

export interface VendorCall {
  readonly signal: AbortSignal
  readonly retry: RetryOptions
  /** A path for a temporary file, on a disk with room for it. */
  scratch(name: string): string
  /** Tells the user something that is not a failure. */
  note(text: string): void
}

export interface RecordTally {
  readonly lines: number
  /** True if the stream so far ends within a record. */
  readonly open: boolean
  /** False if the end of the last record may be missing. */
  readonly isWhole: boolean
  push(chunk: Buffer): void
}

/** How the parts of a source are written: the end of their names, and what counts their records. */
export interface PartForm {
  readonly suffix: string
  tally(): RecordTally
}

export interface PieceCall extends VendorCall {
  /** Counts records that the vendor gave and that were not asked for. */
  filtered(count: number): void
  readonly tally: RecordTally
}

/** A vendor, and what tells exports from it apart. */
export type ExportIdentity = Readonly<Record<string, string>> & { readonly vendor: string }

export interface ExportOrder {
  /** The preset that reads the records; undefined where only the user knows it. */
  readonly preset: string | undefined
  /** What identifies the export. An export in which any of these differs needs another folder. */
  readonly identity: ExportIdentity
  /** What else the manifest says of where the records come from: it may differ from run to run. */
  readonly about?: Readonly<Record<string, string>>
  open(memory: Memory): Source
}

/** Remembers the times of requests from run to run. */
export interface QuotaMemory {
  asked(quota: string): readonly number[]
  /** With `now`, resolves after the times are written, for quotas that a restart must not break. */
  remember(quota: string, asked: readonly number[], now: boolean): Promise<void>
}

/** Remembers, too, what a vendor was told to prepare for a piece, and the checksums that a source gave. */
export interface Memory extends QuotaMemory {
  /** The id that the vendor gave; undefined if nothing is being prepared. */
  ordered(piece: string): string | undefined
  /** Resolves after the id is written. Undefined forgets it. */
  keepOrdered(piece: string, id: string | undefined): Promise<void>
  /** The checksum that the source gave of a piece when it was read; undefined if it gave none. */
  checksum(piece: string): string | undefined
  keepChecksum(piece: string, checksum: string | undefined): void
}

/** How many events of a name a vendor counts on a day; null for all events that it was not asked about. */
export interface DayCount {
  /** `2024-03-01` */
  readonly day: string
  readonly event: string | null
  readonly count: number
}

/** What a report is asked: the days from `first` to `last`, both included, and names, the most frequent first. */
export interface Question {
  readonly first: string
  readonly last: string
  readonly events: readonly string[]
}

/** A vendor's own report of how many events it has, which shows whether its export was whole. */
export interface Report {
  /** The vendor's name in messages. */
  readonly vendor: string
  /** The time zone of its days; undefined if it is the project's, which the vendor does not say. */
  readonly zone: 'UTC' | undefined
  /** How long after a day's end its events still reach the windows of an export, in milliseconds. */
  readonly settleMs: number
  /** The counts of the days, and of names it has besides. A name it can't count is left out. */
  ask(question: Question, call: VendorCall): AsyncIterable<DayCount>
}

export interface WhenShort {
  /** One sentence. */
  readonly text: string
  /** Options of the command that is suggested, in place of those of the same name. */
  readonly options: Readonly<Record<string, string>>
}

export interface PersonState {
  /** `persons`: from persons of their own. `none`: events have lost it. `unknown`: the project did not tell. */
  readonly from: 'events' | 'person_properties' | 'persons' | 'none' | 'unknown'
  /** How many events have lost what they set; null if nobody asked. */
  readonly withoutSet: number | null
  /** Why nobody knows, or why the rows have no `person_properties`. */
  readonly reason?: string | undefined
}

/** A vendor's project, ready to be exported. */
export interface Source {
  readonly pieces: readonly ExportPiece[]
  /** Undefined if the vendor has none. */
  readonly report?: Report
  readonly unchecked?: { readonly vendor: string; readonly reason: string }
  /**
   * The events' times, where windows go by another time, such as that of arrival. Then several parts can hold an event.
   */
  readonly range?: WindowSpan
  /** True where windows that are not final are read again by each run. */
  readonly renews?: boolean
  /** Finds out which of these pieces are empty, before the first is fetched: they are never fetched then. */
  readonly foresee?: (pieces: readonly ExportPiece[], call: VendorCall) => Promise<readonly ExportPiece[]>
  /** How parts are written; NDJSON if left out. */
  readonly form?: PartForm
  /**
   * Counts the records of a piece where they come from, once more, for one who can count just what a piece has; undefined for a piece
   * that needs no count. `isSame`: false if they are not those that were read, however many. Pieces that have become others
   * meanwhile are fetched again.
   */
  readonly recount?: {
    /** Who counts, for a sentence. */
    readonly by: string
    count(
      piece: string,
      call: VendorCall,
      askedAt: number,
    ): Promise<{ readonly records: number; readonly isSame: boolean } | undefined>
  }
  /** What the user can do about days that stay short; if left out, fetch them again. */
  readonly whenShort?: WhenShort
  /** Asks where the persons' state of the export comes from; undefined if the vendor has one way only. */
  readonly personState?: (call: Pick<VendorCall, 'signal'>) => Promise<PersonState>
  /** The quota that most of the requests count against. */
  readonly limiter: RateLimiter
  close(): Promise<void>
}
