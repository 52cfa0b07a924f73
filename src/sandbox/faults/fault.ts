import { PosthaulError } from '../../errors.ts'

/** Faults that a spec names by their kind. Those of Capture V1 strike single events. */
const NAMED = [
  'billing',
  'reset',
  'lost',
  'slow',
  'quota',
  'quota-said',
  'html',
  'partial',
  'v1-retry',
  'v1-drop',
  'v1-warning',
  'too-many-downloads',
  'download-expired',
] as const

/**
 * Where a request came in: all ingestion, /batch/ and its kin, Capture V1, the project API, the files of downloads, or
 * requests for deletion, which are filed before a fault strikes.
 */
const ROUTES = ['ingest', 'batch', 'v1', 'api', 'download', 'deletion'] as const
export type Route = (typeof ROUTES)[number]

/** What can strike elsewhere than in ingestion. */
const ON_API = ['status', 'html', 'reset', 'lost', 'slow'] as const
const PLAYED: Partial<Record<Route, readonly Fault['kind'][]>> = {
  api: ON_API,
  deletion: ON_API,
  download: ['status', 'html', 'reset', 'lost', 'partial'],
}

/** A misbehaviour of the sandbox, as a value. */
export interface Fault {
  readonly kind: 'status' | 'too-large' | (typeof NAMED)[number]
  /** Share of requests it strikes, 0 to 1; of events for one of Capture V1. */
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
  /** `download-expired`: what has expired, the signed address (default) or the file. */
  readonly of?: 'address' | 'file'
  /** `v1-…`: the word of the answer's `details`. */
  readonly word?: string
  /** Which requests it may strike. Default ingest. */
  readonly on?: Route
}

/** True for a fault that strikes single events. */
export function isOfEvents({ kind }: Fault): boolean {
  return kind === 'v1-retry' || kind === 'v1-drop' || kind === 'v1-warning'
}

/** What `--fault` understands, for a help text of 80 columns. */
export const FAULT_HELP = `Faults: name[:option,option…], an option being a rate or key=value
  429:0.1            that status for a tenth of the requests (also 401, 403,
                     404, 405, 408, 500, 502, 503, 504); retry-after=2 adds
                     the header
  billing            429, over quota, as older servers say it
  reset:0.05         the connection is reset before anything is processed
  lost:0.05          processed, then the connection is cut without an answer
  partial:0.05       500 after half of the events were stored
  slow:0.02,ms=2000  the answer drips over that time
  quota:after=5000   over quota: a plain 200, and the events are dropped, except
                     $exception, surveys and $ai_*, whose quotas are their own.
                     Capture V1 says so: 402
  quota-said         200 with "quota_limited", and all events are dropped
  html:0.01          200 with the page of a captive portal
  413:events=200     requests over so many events (or bytes=N) are refused
  v1-retry:0.1       Capture V1 does not keep a tenth of the events, and says
                     so: retry
  v1-drop:0.01       it drops a hundredth; word=rejected is its reason
  v1-warning:0.01    it keeps them without person, groups and merges
  404:on=v1          a server from before Capture V1
  503:on=v1          a self-hosted one that has it, but not set up
  too-many-downloads an ordered download is refused: 429, others are under way
  download-expired   the address of a file has expired; of=file: so has the file
Of every fault: rate (0 to 1, default 1), after=N (only once N events have
been stored), times=N (at most N times), on=ingest|batch|v1|api|download|
deletion (default ingest, which is both batch and v1). On api and deletion only
a status, html, reset, lost and slow strike; the request for deletion is filed
before. On download, the files of downloads, a status, html and reset do, and
lost and partial, which cut in the middle.`

const STATUSES = new Set([401, 403, 404, 405, 408, 429, 500, 502, 503, 504])
type Options = { -readonly [Key in keyof Omit<Fault, 'kind' | 'status'>]: Fault[Key] }

/** Reads a fault's spec. PosthaulError `usage` if it is not valid. */
export function parseFault(spec: string): Fault {
  const colon = spec.indexOf(':')
  const name = colon < 0 ? spec : spec.slice(0, colon)
  const options: Options = { rate: 1 }
  for (const word of colon < 0 ? [] : spec.slice(colon + 1).split(',')) readOption(options, word, spec)
  const fault = namedFault(name, options)
  if (!fault) throw wrongFault(spec, `there is no fault '${name}'`)
  const { on } = fault
  if (on && !strikes(fault, on)) throw wrongFault(spec, `'${name}' does not strike on ${on}`)
  return fault
}

function namedFault(name: string, options: Options): Fault | undefined {
  const kind = NAMED.find((one) => one === name)
  if (kind) return { kind, ...options }
  if (name === '413') return { kind: 'too-large', ...options }
  return STATUSES.has(Number(name)) ? { kind: 'status', status: Number(name), ...options } : undefined
}

function strikes(fault: Fault, on: Route): boolean {
  // Those of downloads have a place of their own.
  if (fault.kind === 'too-many-downloads' || fault.kind === 'download-expired') return false
  if (isOfEvents(fault)) return on === 'v1' || on === 'ingest'
  return PLAYED[on]?.includes(fault.kind) ?? true
}

function readOption(options: Options, word: string, spec: string): void {
  const [key, value] = word.includes('=') ? word.split('=', 2) : ['rate', word]
  if (key === 'retry-after' && value) options.retryAfter = value
  else if (key === 'on' && isOf(ROUTES, value)) options.on = value
  else if (key === 'word' && /^[a-z_]+$/.test(value!)) options.word = value!
  else if (key === 'of' && (value === 'address' || value === 'file')) options.of = value
  else if (key === 'rate') options.rate = readNumber(value, 1, spec)
  else if (key === 'after' || key === 'times' || key === 'bytes' || key === 'events' || key === 'ms') {
    options[key] = readNumber(value, Number.MAX_SAFE_INTEGER, spec)
  } else throw wrongFault(spec, `'${word}' is not an option`)
}

function isOf<T extends string>(list: readonly T[], value: string | undefined): value is T {
  return list.some((one) => one === value)
}

function readNumber(text: string | undefined, most: number, spec: string): number {
  const value = Number(text)
  if (text && value >= 0 && value <= most) return value
  throw wrongFault(spec, `'${text}' is not a number from 0 to ${most}`)
}

function wrongFault(spec: string, why: string): PosthaulError {
  return new PosthaulError(`the fault '${spec}' is not valid: ${why}`, {
    code: 'usage',
    hint: 'posthaul sandbox --help lists all, such as 429:0.1',
  })
}
