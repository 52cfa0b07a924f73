import type { RequestSeen } from '../http/request-watch.ts'
import type { MadeCounts } from '../record/counts.ts'

/** How much a line matters, most first. `-q` shows the first two, `-v` the first four. */
export const LEVELS = ['error', 'warn', 'info', 'verbose', 'debug'] as const
export type Level = (typeof LEVELS)[number]

/** What a line is about, as a word that a log's reader can look for. docs/unattended.md lists them. */
type LogEventName =
  | 'note'
  | 'progress'
  | 'retry'
  | 'batch'
  | 'request'
  | 'summary'
  | 'error'
  | 'usage'
  | 'text'
  | 'result'

/** Something to tell, before it is known how: for a person, as a line of text, or as JSON. */
export interface Entry {
  readonly event: LogEventName
  readonly level: Level
  /** What is being done: `import`. */
  readonly label: string
  /** One sentence. Text of servers and users may be in it as it came: it is made visible where it is printed. */
  readonly message: string
  /** What a person reads in its place: whole lines, ready to print. */
  readonly block?: string
  /** What the JSON line has beside the message. Names are in snake case; a member that does not apply is null. */
  readonly members?: Readonly<Record<string, unknown>>
}

/** Events by their fate, as far as they are counted. */
export type FateCounts = Partial<MadeCounts>

/** Where a piece of work stands: read whenever somebody asks, so that the work itself counts nothing for it. */
export interface MeterReading {
  readonly done: number
  readonly total: number
  /** What `done` and `total` count. */
  readonly unit: 'bytes' | 'windows' | 'events'
  readonly counts: FateCounts
}

/** A request that is over, as a line. */
export function requestEntry(label: string, seen: RequestSeen): Entry {
  const { method, host, path, status, failure, bytesOut, bytesIn, ms, attempt } = seen
  const end = [status, failure].filter((one) => one !== undefined).join(' ')
  const again = attempt === undefined || attempt === 1 ? '' : `, attempt ${attempt}`
  const message = `${method} ${host}${path}: ${end}, ${bytesOut} B out, ${bytesIn} B in, ${ms} ms${again}`
  const members = {
    method,
    host,
    path,
    status: status ?? null,
    failure: failure ?? null,
    bytes_out: bytesOut,
    bytes_in: bytesIn,
    milliseconds: ms,
    attempt: attempt ?? null,
  }
  return { event: 'request', level: 'debug', label, message, members }
}
