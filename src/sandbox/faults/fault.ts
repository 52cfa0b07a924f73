/** What a fault does to the request it strikes. */
export type FaultKind =
  | 'status'
  | 'billing'
  | 'reset'
  | 'lost'
  | 'slow'
  | 'quota'
  | 'quota-said'
  | 'html'
  | 'too-large'
  | 'partial'

/** The meters of the service: exceptions, surveys and AI events each have a quota of their own. */
export type Meter = 'events' | 'exceptions' | 'surveys' | 'ai'

/** A misbehaviour of the sandbox, as a value. */
export interface Fault {
  readonly kind: FaultKind
  /** Share of requests it strikes, 0 to 1. */
  readonly rate: number
  /** The HTTP status of kind `status`. */
  readonly status?: number
  /** Strikes only once this many events have been stored. */
  readonly after?: number
  /** Strikes at most this many times. */
  readonly times?: number
  /** `too-large`: the most bytes (after gunzip) a request may have. */
  readonly bytes?: number
  /** `too-large`: the most events a request may have. */
  readonly events?: number
  /** `slow`: how long the answer drips, in milliseconds. */
  readonly ms?: number
  /** `status`: value of a Retry-After header. */
  readonly retryAfter?: string
  /** `quota`: the meter that is over its quota. Default events. */
  readonly meter?: Meter
  /** Which requests it may strike: ingestion (default) or the project API. */
  readonly on?: 'ingest' | 'api'
}
