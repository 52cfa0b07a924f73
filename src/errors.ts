/** What happens to the work that an error interrupted. */
export type Fate = 'retry' | 'reject' | 'stop'

/** What went wrong, as a word that a script can test. Each maps to one exit code. */
export type ErrorCode =
  | 'usage'
  | 'config'
  | 'input'
  | 'found'
  | 'auth'
  | 'paused'
  | 'unavailable'
  | 'mismatch'
  | 'locked'
  | 'interrupted'

/**
 * Every way a command can end: its exit code, and what the code means to a script. The one source for the table in the
 * docs and for `posthaul --help`; backticks mark what a user types. The codes are a contract: a new one may be added,
 * none may change.
 */
export const EXITS = {
  done: { code: 0, meaning: 'done, or stopped as asked (`--stop-after`)' },
  bug: { code: 1, meaning: 'a bug in posthaul: please report it' },
  usage: { code: 2, meaning: 'a mistake in the command, the settings or the input' },
  rejects: {
    code: 3,
    meaning: 'new rejects; or something was found, by `check`, `verify`, `test` and others',
  },
  auth: { code: 4, meaning: 'a key is missing, or was refused' },
  paused: { code: 5, meaning: 'paused, or out of retries: run it again to go on' },
  mismatch: {
    code: 6,
    meaning: 'the saved state belongs to another input, host, key or rules',
  },
  locked: { code: 7, meaning: 'another run is at work, or draws on the same rate cap' },
  sighup: { code: 129, meaning: 'interrupted by SIGHUP (the terminal closed); the state is saved' },
  sigint: { code: 130, meaning: 'interrupted by SIGINT (Ctrl-C); the state is saved' },
  sigterm: { code: 143, meaning: 'interrupted by SIGTERM; the state is saved' },
} as const

export type ExitName = keyof typeof EXITS
export type ExitCode = (typeof EXITS)[ExitName]['code']

/** The codes by name. */
export const EXIT = Object.fromEntries(Object.entries(EXITS).map(([name, { code }]) => [name, code])) as {
  readonly [Name in ExitName]: (typeof EXITS)[Name]['code']
}

/** The signals that end a run after it has finished what is under way, and the exit code of each. */
export const SIGNALS = { SIGHUP: EXIT.sighup, SIGINT: EXIT.sigint, SIGTERM: EXIT.sigterm } as const

const EXIT_OF: Record<ErrorCode, ExitCode> = {
  usage: EXIT.usage,
  config: EXIT.usage,
  input: EXIT.usage,
  found: EXIT.rejects,
  auth: EXIT.auth,
  paused: EXIT.paused,
  unavailable: EXIT.paused,
  mismatch: EXIT.mismatch,
  locked: EXIT.locked,
  interrupted: EXIT.sigint,
}

export const ERROR_CODES = Object.keys(EXIT_OF) as readonly ErrorCode[]

export interface ErrorDetails {
  readonly code: ErrorCode
  readonly fate?: Fate
  /** The code of the finding that it is, for `--accept` and scripts. */
  readonly finding?: string
  /** What the user can do about it: one sentence, imperative. */
  readonly hint?: string
  /** Particulars, shown a line each between the message and the hint. */
  readonly lines?: readonly string[]
  /** Options by flag, '' for one without a value. Without them the command line would fail again; the one that is printed to continue has them. */
  readonly options?: Readonly<Record<string, string>>
  /** What comes before the command line can work again, such as `that is done`: printed in place of `then`. */
  readonly once?: string
  /** How many milliseconds the server asks to wait before the next try. */
  readonly waitMs?: number
  readonly cause?: unknown
}

/** An error that a user can act on: the message says what happened and what it means, the hint what to do. */
export class PosthaulError extends Error {
  readonly code: ErrorCode
  readonly fate: Fate
  readonly finding: string | undefined
  readonly hint: string | undefined
  readonly lines: readonly string[]
  readonly options: Readonly<Record<string, string>>
  readonly once: string | undefined
  readonly waitMs: number | undefined

  constructor(
    message: string,
    { code, fate = 'stop', finding, hint, lines = [], options = {}, once, waitMs, cause }: ErrorDetails,
  ) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'PosthaulError'
    this.code = code
    this.fate = fate
    this.finding = finding
    this.hint = hint
    this.lines = lines
    this.options = options
    this.once = once
    this.waitMs = waitMs
  }

  get exitCode(): ExitCode {
    return EXIT_OF[this.code]
  }
}

/** The refusal of a file that is in the form of another version. `otherwise`: what else can be done, the end of the hint. */
export function ofOtherVersion(address: string, code: ErrorCode, otherwise = ''): PosthaulError {
  return new PosthaulError(`${address} was written by another version of posthaul`, {
    code,
    hint: `go on with that version${otherwise}`,
  })
}

/** What went wrong, for who goes on without an answer. A bug, and a run that was told to stop, are thrown on. */
export function failureOf(error: unknown): PosthaulError {
  if (error instanceof PosthaulError && error.code !== 'interrupted') return error
  throw error
}

/** Throws, with code `interrupted`, once a run was told to stop. */
export function assertGoing({ aborted }: AbortSignal): void {
  if (aborted) throw new PosthaulError('interrupted', { code: 'interrupted' })
}
