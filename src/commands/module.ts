import type { Command } from 'commander'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'

/** A subcommand: declares its options on `command` and passes its exit code to `exit`. Loaded only when it is run. */
export interface CommandModule {
  configure(command: Command, io: Io, exit: (code: ExitCode) => void): void
}
