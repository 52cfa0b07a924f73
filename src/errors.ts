/** What is to become of the work an error interrupted. */
export type Fate = 'retry' | 'reject' | 'stop'

/** What went wrong, in a word a script can test. Each maps to one exit code. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'input'
  | 'auth'
  | 'paused'
  | 'unavailable'
  | 'mismatch'
  | 'locked'
  | 'interrupted'

/** Exit codes of every command. The README documents them; scripts rely on them. */
export const EXIT = {
  done: 0,
  bug: 1,
  usage: 2,
  rejects: 3,
  auth: 4,
  paused: 5,
  mismatch: 6,
  locked: 7,
  sigint: 130,
  sigterm: 143,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]

const EXIT_OF: Record<ErrorCode, ExitCode> = {
  usage: EXIT.usage,
  config: EXIT.usage,
  input: EXIT.usage,
  auth: EXIT.auth,
  paused: EXIT.paused,
  unavailable: EXIT.paused,
  mismatch: EXIT.mismatch,
  locked: EXIT.locked,
  interrupted: EXIT.sigint,
}

export interface ErrorDetails {
  readonly code: ErrorCode
  readonly fate?: Fate
  /** What the user can do about it: one sentence, imperative. */
  readonly hint?: string
  /** Particulars, shown a line each between the message and the hint. */
  readonly lines?: readonly string[]
  /** Options without which the same command line ends the same way, by their flags: the one that goes on has them. */
  readonly options?: Readonly<Record<string, string>>
  /** The other side asks for a pause of so many milliseconds before the next try. */
  readonly waitMs?: number
  readonly cause?: unknown
}

/** An error that a user can act on: the message says what happened and what it means, the hint what to do. */
export class PosthaulError extends Error {
  readonly code: ErrorCode
  readonly fate: Fate
  readonly hint: string | undefined
  readonly lines: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly waitMs: number | undefined

  constructor(
    message: string,
    { code, fate = 'stop', hint, lines = [], options = {}, waitMs, cause }: ErrorDetails,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'PosthaulError'
    this.code = code
    this.fate = fate
    this.hint = hint
    this.lines = lines
    this.options = options
    this.waitMs = waitMs
  }

  get exitCode(): ExitCode {
    return EXIT_OF[this.code]
  }
}
