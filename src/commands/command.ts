import type { Command } from 'commander'
import type { ExitCode } from '../errors.ts'

/** The world a command may touch, so that a test can hand it another. */
export interface Io {
  readonly stdin: NodeJS.ReadStream
  readonly stdout: NodeJS.WriteStream
  readonly stderr: NodeJS.WriteStream
  readonly env: Readonly<Record<string, string | undefined>>
  /** The words after `posthaul`, as typed; the source of the printed command that continues. */
  readonly argv: readonly string[]
  /** Aborted by the first SIGINT or SIGTERM; `reason` is the signal's name. A second signal ends the process. */
  readonly interrupted: AbortSignal
}

/** A subcommand: declares its flags on `command` and hands its exit code to `exit`. Loaded only when it is run. */
export interface CommandModule {
  configure(command: Command, io: Io, exit: (code: ExitCode) => void): void
}
