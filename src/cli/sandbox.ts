import { DRAIN_MS } from '../drain.ts'
import { EXIT, PosthaulError } from '../errors.ts'
import type { Io } from '../io.ts'
import { useOptions } from '../options/options.ts'
import type { Values } from '../options/row.ts'
import {
  DATA,
  EXPOSE,
  FAULT,
  LISTEN_HOST,
  PORT,
  PROJECT_SETTING,
  SANDBOX_PROJECT_KEY,
  SEED,
  STORAGE,
} from '../options/rows/sandbox-rows.ts'
import { FAULT_HELP } from '../sandbox/faults/parse.ts'
import { PROJECT_SETTING_HELP, readProjectSettings } from '../sandbox/project-setting.ts'
import type { Sandbox, SandboxOptions } from '../sandbox/sandbox.ts'
import { makeFolder } from '../store/make-folder.ts'
import { jsonLine } from '../text/json.ts'
import { plural } from '../text/words.ts'
import type { CommandModule } from './command.ts'

const SANDBOX_ROWS = [
  PORT,
  DATA,
  FAULT,
  SEED,
  PROJECT_SETTING,
  STORAGE,
  SANDBOX_PROJECT_KEY,
  LISTEN_HOST,
  EXPOSE,
] as const

type SandboxValues = Values<typeof SANDBOX_ROWS>

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/

const AFTER_HELP = `
The keys are made up at the first start and kept in --data; the personal key
can be set with POSTHAUL_SANDBOX_PERSONAL_KEY. Only this machine can reach it.

${FAULT_HELP}

${PROJECT_SETTING_HELP}`

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', AFTER_HELP)
  useOptions(command, SANDBOX_ROWS, io.env, async ({ values }) => {
    await serve(values, io)
    exit(EXIT.done)
  })
}

async function serve(values: SandboxValues, io: Io): Promise<void> {
  if (!LOOPBACK.test(values.host) && !values.expose) {
    throw new PosthaulError(
      `${values.host} can be reached from other machines, and the sandbox is plain HTTP`,
      {
        code: 'usage',
        hint: 'add --expose if you mean it',
      },
    )
  }
  if (values.projectKey?.startsWith('phx_')) {
    throw new PosthaulError('--project-key holds a personal key (phx_…)', {
      code: 'usage',
      hint: 'give a project key, phc_…, or leave the option out',
    })
  }
  // Loaded only now, so that --help stays fast: the sandbox brings a server and a database.
  const { startSandbox } = await import('../sandbox/sandbox.ts')
  if (values.data !== undefined) await makeFolder(values.data)
  const sandbox = await startSandbox(sandboxOptions(values, io))
  io.drain.allow(DRAIN_MS)
  io.stderr.write(greeting(sandbox, values))
  io.stdout.write(jsonLine(announcement(sandbox)))
  await interruption(io.interrupted)
  await sandbox.close()
  const { requests, events } = sandbox.stats()
  io.stderr.write(
    `sandbox stopped after ${plural(requests, 'ingestion request')} and ${plural(events, 'event')}\n`,
  )
}

function sandboxOptions(values: SandboxValues, { env }: Io): SandboxOptions {
  const { port, host, data, projectKey, fault: faults, seed, storage } = values
  // Not POSTHOG_PERSONAL_API_KEY: that may hold a real key, and this one is printed.
  const personalKey = env.POSTHAUL_SANDBOX_PERSONAL_KEY
  return {
    port,
    host,
    faults,
    seed,
    storage,
    ...readProjectSettings(values.projectSetting),
    ...(data !== undefined && { data }),
    ...(projectKey !== undefined && { projectKey }),
    ...(personalKey && { personalKey }),
  }
}

function greeting(sandbox: Sandbox, { data, fault, seed, projectSetting }: SandboxValues): string {
  const { url } = sandbox
  const misbehaviour = fault.length > 0 ? `faults: ${fault.join(' ')} (seed ${seed})\n` : ''
  const settings = projectSetting.length > 0 ? `project: ${projectSetting.join(' ')}\n` : ''
  return `sandbox listening on ${url}
data: ${sandbox.data}${data === undefined ? ' (temporary, removed at the end)' : ''}
${misbehaviour}${settings}in another terminal:
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
