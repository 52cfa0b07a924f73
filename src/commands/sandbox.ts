import { type Command, InvalidArgumentError } from 'commander'
import { EXIT, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { plural } from '../report/words.ts'
import { FAULT_HELP } from '../sandbox/faults/parse.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import type { CommandModule } from './command.ts'
import { atLeast } from './option-values.ts'

interface Flags {
  readonly port: number
  readonly host: string
  readonly data?: string
  readonly projectKey?: string
  readonly fault?: readonly string[]
  readonly seed: number
  readonly expose?: boolean
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

const AFTER_HELP = `
The keys are made up at the first start and kept in --data; the personal key
can be set with POSTHAUL_SANDBOX_PERSONAL_KEY. It listens for this machine only.

${FAULT_HELP}`

export const configure: CommandModule['configure'] = (command, io, exit) => {
  declare(command).action(async (flags: Flags) => {
    await serve(flags, io)
    exit(EXIT.done)
  })
}

function declare(command: Command): Command {
  return command
    .option('--port <n>', 'port to listen on; 0 takes a free one', port, 8010)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--data <dir>', 'keep events and keys in this folder (default: temporary)')
    .option('--project-key <phc_…>', 'the project key whose events are kept')
    .option('--fault <spec>', 'misbehave on purpose; repeatable', collect)
    .option('--seed <n>', 'seed of the faults', atLeast(0), 1)
    .option('--expose', 'let --host be reachable from other machines')
    .addHelpText('after', AFTER_HELP)
}

async function serve(flags: Flags, io: Io): Promise<void> {
  if (!LOOPBACK.test(flags.host) && !flags.expose) {
    throw new PosthaulError(
      `${flags.host} can be reached from other machines, and the sandbox is plain HTTP`,
      {
        code: 'usage',
        hint: 'add --expose if you mean it',
      },
    )
  }
  if (flags.projectKey?.startsWith('phx_')) {
    throw new PosthaulError('--project-key holds a personal key (phx_…)', {
      code: 'usage',
      hint: 'give a project key, phc_…, or leave the option out',
    })
  }
  // Only a sandbox needs its server and database: --help stays fast.
  const { startSandbox } = await import('../sandbox/sandbox.ts')
  const sandbox = await startSandbox(sandboxOptions(flags, io))
  io.stderr.write(greeting(sandbox, flags))
  io.stdout.write(`${JSON.stringify(announcement(sandbox))}\n`)
  await interruption(io.interrupted)
  await sandbox.close()
  const { requests, events } = sandbox.stats()
  io.stderr.write(
    `sandbox stopped after ${plural(requests, 'ingestion request')} and ${plural(events, 'event')}\n`,
  )
}

function sandboxOptions(flags: Flags, { env }: Io): SandboxOptions {
  const { port, host, data, projectKey, fault: faults = [], seed } = flags
  // Not POSTHOG_PERSONAL_API_KEY: that may hold a real key, and this one is printed.
  const personalKey = env.POSTHAUL_SANDBOX_PERSONAL_KEY
  return {
    port,
    host,
    faults,
    seed,
    ...(data !== undefined && { data }),
    ...(projectKey !== undefined && { projectKey }),
    ...(personalKey && { personalKey }),
  }
}

function greeting(sandbox: Sandbox, { data, fault = [], seed }: Flags): string {
  const { url } = sandbox
  const misbehaviour = fault.length > 0 ? `faults: ${fault.join(' ')} (seed ${seed})\n` : ''
  return `sandbox listening on ${url}
data: ${sandbox.data}${data === undefined ? ' (temporary, removed at the end)' : ''}
${misbehaviour}in another terminal:
  export POSTHOG_HOST=${url}
  export POSTHOG_INGEST_HOST=${url}
  export POSTHOG_PROJECT_API_KEY=${sandbox.projectKey}
  export POSTHOG_PERSONAL_API_KEY=${sandbox.personalKey}
  export POSTHOG_PROJECT_ID=${sandbox.projectId}
stop it with Ctrl-C
`
}

/** The line on stdout that scripts wait for. */
function announcement({ url, host, port, projectKey, personalKey, projectId, data }: Sandbox) {
  return {
    version: 1,
    event: 'listening',
    url,
    host,
    port,
    project_key: projectKey,
    personal_key: personalKey,
    project_id: projectId,
    data,
    pid: process.pid,
  }
}

function interruption(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

function collect(word: string, words: readonly string[] = []): readonly string[] {
  return [...words, word]
}

function port(text: string): number {
  const value = atLeast(0)(text)
  if (value <= 65_535) return value
  throw new InvalidArgumentError('Expected a port, 0 to 65535.')
}
