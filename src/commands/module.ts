import type { Command } from 'commander'
import type { ExitCode } from '../errors.ts'
import type { Io } from '../io.ts'

/** A subcommand: declares its options on `command` and passes its exit code to `exit`. Loaded only when it is run. */
export interface CommandModule {
  configure(command: Command, io: Io, exit: (code: ExitCode) => void): void
}

/** Adds the last line of a command's help: the key it needs, and the scope of that key. */
export function addKeyHelp(command: Command, scope: string): void {
  command.addHelpText('after', `\nNeeds POSTHOG_PERSONAL_API_KEY, scope ${scope}.`)
}

export function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
