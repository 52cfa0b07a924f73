import { afterAll, onTestFinished } from 'vitest'
import { type Sandbox, type SandboxOptions, startSandbox } from '../../src/sandbox/sandbox.ts'

/** A sandbox that is closed with the test. */
export async function testSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  onTestFinished(() => sandbox.close())
  return sandbox
}

/** A sandbox that is closed with the test file, which begins with it. */
export async function fileSandbox(options?: SandboxOptions): Promise<Sandbox> {
  const sandbox = await startSandbox(options)
  afterAll(() => sandbox.close())
  return sandbox
}

/** The environment in which every command knows a sandbox's addresses, keys and project. */
export function sandboxEnv({ url, projectKey, personalKey, projectId }: Sandbox): Record<string, string> {
  return {
    ...{ POSTHOG_HOST: url, POSTHOG_INGEST_HOST: url, POSTHOG_PROJECT_ID: String(projectId) },
    ...{ POSTHOG_PROJECT_API_KEY: projectKey, POSTHOG_PERSONAL_API_KEY: personalKey },
  }
}
