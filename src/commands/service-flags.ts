import type { Command } from 'commander'
import type { Io } from '../io.ts'
import { CONFIG_FILE, loadConfigFile } from '../options/load-file.ts'
import type { Sources } from '../options/resolve.ts'

/** The options every command shares that sends events. */
export function addIngestFlags(command: Command): Command {
  return addHostFlags(command)
    .option('--ingest-host <url>', 'where events go, when it is not the host (POSTHOG_INGEST_HOST)')
    .option('--project-key-stdin', 'read the project key from standard input')
}

/** The options every command shares that reads the project. */
export function addApiFlags(command: Command): Command {
  return addHostFlags(command)
    .option('--project-id <id>', 'the project, as `projects list` shows it (POSTHOG_PROJECT_ID)')
    .option('--personal-key-stdin', 'read the personal key from standard input')
}

/** The last line of a command's help: the key it needs, and what that must be allowed. */
export function addKeyHelp(command: Command, scope: string): void {
  command.addHelpText('after', `\nNeeds POSTHOG_PERSONAL_API_KEY, scope ${scope}.`)
}

function addHostFlags(command: Command): Command {
  return command
    .option('--region <us|eu>', 'the cloud region (POSTHOG_REGION)')
    .option('--host <url>', 'a self-hosted installation (POSTHOG_HOST)')
    .option('--config <file>', `settings (default: ${CONFIG_FILE} here, if there is one)`)
}

/** A command's options, the environment and the config file, ready for `resolve`. */
export async function loadSources(
  options: Readonly<Record<string, unknown>>,
  io: Pick<Io, 'env'>,
): Promise<Sources> {
  const path = typeof options.config === 'string' ? options.config : undefined
  return { flags: options, env: io.env, file: await loadConfigFile(path), fileName: path ?? CONFIG_FILE }
}
