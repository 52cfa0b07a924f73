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
  | 'too-many-downloads'
  | 'download-expired'
  | V1Kind

/** What a fault does to single events of Capture V1. */
export type V1Kind = 'v1-retry' | 'v1-drop' | 'v1-warning'

/** The meters of the service: exceptions, surveys and AI events each have a quota of their own. */
export type Meter = 'events' | 'exceptions' | 'surveys' | 'ai'

/** A misbehaviour of the sandbox, as a value. */
export interface Fault {
  readonly kind: FaultKind
  /** Share of requests it strikes, 0 to 1; of events for a V1Kind. */
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
  /** `download-expired`: what has expired, the signed address (default) or the file. */
  readonly of?: 'address' | 'file'
  /** A V1Kind: the word of the answer's `details`. */
  readonly word?: string
  /** Which requests it may strike: all ingestion (default), one of its two routes, the project API, or the files of
   * downloads. */
  readonly on?: Route | 'ingest'
}

/** Where a request came in: /batch/ and its kin, Capture V1, the project API, the files of downloads, or
 * requests for deletion, which `lost` strikes after they are filed. */
export type Route = 'batch' | 'v1' | 'api' | 'download' | 'deletion'

/** True for a fault that strikes single events. */
export function isOfEvents({ kind }: Fault): boolean {
  return kind === 'v1-retry' || kind === 'v1-drop' || kind === 'v1-warning'
}
