import type { Sandbox } from '../../src/sandbox/sandbox.ts'

/** The environment in which every command knows a sandbox's addresses, keys and project. */
export function sandboxEnv({ url, projectKey, personalKey, projectId }: Sandbox): Record<string, string> {
  return {
    POSTHOG_HOST: url,
    POSTHOG_INGEST_HOST: url,
    POSTHOG_PROJECT_API_KEY: projectKey,
    POSTHOG_PERSONAL_API_KEY: personalKey,
    POSTHOG_PROJECT_ID: String(projectId),
  }
}
