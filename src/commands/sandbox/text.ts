import type { SandboxResult } from './result.ts'

/** Where it listens, and what to set in another terminal. */
export function sandboxLines(result: SandboxResult): string[] {
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
