/** Everything outside the program that a command uses, so that a test can replace it. */
export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** The words after `posthaul`, as typed; the source of the printed command that continues. */
  readonly argv: readonly string[]
  /** Aborted by the first SIGHUP, SIGINT or SIGTERM; `reason` is the signal's name. */
  readonly interrupted: AbortSignal
}
