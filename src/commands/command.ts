import type { Command } from 'commander'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'

/** A subcommand: declares its options on `command` and hands its exit code to `exit`. Loaded only when it is run. */
export interface CommandModule {
  configure(command: Command, io: Io, exit: (code: ExitCode) => void): void
}

/** The last line of a command's help: the key it needs, and what that must be allowed. */
export function addKeyHelp(command: Command, scope: string): void {
  command.addHelpText('after', `\nNeeds POSTHOG_PERSONAL_API_KEY, scope ${scope}.`)
}
