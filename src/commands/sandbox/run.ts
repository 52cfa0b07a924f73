import { DRAIN_MS, interruption } from '../../drain.ts'
import { PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { readProjectSettings } from '../../sandbox/project-setting.ts'
import { type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts'
import { makeFolder } from '../../store/own-file.ts'
import { jsonLine } from '../../text/json.ts'
import { plural } from '../../text/words.ts'
import type { SandboxCall } from './index.ts'
import type { SandboxResult } from './result.ts'

export { sandboxResult as schema } from './result.ts'

/** Yields where it listens, which scripts wait for on stdout, and serves until it is told to stop. */
export async function* run({ values }: SandboxCall, world: Io): AsyncGenerator<SandboxResult> {
  if (values.data !== undefined) await makeFolder(values.data)
  const sandbox = await startSandbox(sandboxOptions(values, world))
  world.drain.allow(DRAIN_MS)
  const { url, host, port, projectKey, personalKey, projectId, data } = sandbox
  const listening: SandboxResult = {
    ...{ version: 1, event: 'listening', url, host, port },
    ...{ project_key: projectKey, personal_key: personalKey, project_id: projectId },
    ...{ data, temporary: values.data === undefined },
    ...{ faults: values.fault, seed: values.seed, settings: values.projectSetting },
    pid: process.pid,
  }
  yield listening
  world.stdout.write(jsonLine(listening))
  await interruption(world.interrupted)
  await sandbox.close()
  const { requests, events } = sandbox.stats()
  world.stderr.write(
    `sandbox stopped after ${plural(requests, 'ingestion request')} and ${plural(events, 'event')}\n`,
  )
}

/** What the options say of a sandbox. Code `usage` for what must not be. */
function sandboxOptions(values: SandboxCall['values'], { env }: Io): SandboxOptions {
  if (/^ph[xs]_/.test(values.projectKey ?? '')) {
    throw new PosthaulError('--project-key holds a key of another kind (phx_… or phs_…)', {
      code: 'usage',
      hint: 'give a project key, phc_…, or leave the option out',
    })
  }
  const { port, data, projectKey, fault: faults, seed, storage } = values
  // Not POSTHOG_PERSONAL_API_KEY: that may hold a real key, and this one is printed.
  const personalKey = env.POSTHAUL_SANDBOX_PERSONAL_KEY
  return {
    port,
    faults,
    seed,
    storage,
    ...readProjectSettings(values.projectSetting),
    ...(data !== undefined && { data }),
    ...(projectKey !== undefined && { projectKey }),
    ...(personalKey && { personalKey }),
  }
}

/** Where it listens, and what to set in another terminal. */
export function lines(result: SandboxResult): string[] {
  const { url, data, temporary, faults, seed, settings } = result
  return [
    `sandbox listening on ${url}`,
    `data: ${data}${temporary ? ' (temporary, removed at the end)' : ''}`,
    ...(faults.length > 0 ? [`faults: ${faults.join(' ')} (seed ${seed})`] : []),
    ...(settings.length > 0 ? [`project: ${settings.join(' ')}`] : []),
    'in another terminal:',
    `  export POSTHOG_HOST=${url}`,
    `  export POSTHOG_INGEST_HOST=${url}`,
    `  export POSTHOG_PROJECT_API_KEY=${result.project_key}`,
    `  export POSTHOG_PERSONAL_API_KEY=${result.personal_key}`,
    `  export POSTHOG_PROJECT_ID=${result.project_id}`,
    'stop it with Ctrl-C',
  ]
}
