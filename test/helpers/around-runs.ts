import { expect, onTestFinished } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'
import { runCommand } from './command.ts'
import { sandboxEnv } from './sandbox-env.ts'

/** A sandbox for one test. */
export async function openSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** Pulls what lies around the events of a sandbox into a folder. */
export async function pullAround({ url, personalKey, projectId }: Sandbox, out: string): Promise<void> {
  const env = {
    POSTHOG_SOURCE_HOST: url,
    POSTHOG_SOURCE_API_KEY: personalKey,
    POSTHOG_SOURCE_PROJECT_ID: String(projectId),
  }
  const ran = await runCommand(['around', 'pull', 'posthog', '--out', out, '--json'], { env })
  expect(ran.stderr + ran.code).toMatch(/0$/)
}

/** The result of `posthaul around <words>` with a sandbox's project. Throws its error. */
export async function actAround<T>(
  words: readonly string[],
  sandbox: Sandbox,
): Promise<T & { code: number }> {
  const ran = await runCommand(['around', ...words, '--json'], { env: sandboxEnv(sandbox) })
  if (ran.stdout === '') throw new Error(ran.stderr)
  const result = JSON.parse(ran.stdout)
  if ('error' in result) throw new Error(ran.stdout)
  return { ...result, code: ran.code }
}
