import type { SandboxResult } from '../../jobs/results.ts'
import type { SandboxValues } from '../../jobs/sandbox/order.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'

export function sandboxGreeting(
  sandbox: Sandbox,
  { data, fault, seed, projectSetting }: SandboxValues,
): string {
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
export function sandboxAnnouncement({
  url,
  host,
  port,
  projectKey,
  personalKey,
  projectId,
  data,
}: Sandbox): SandboxResult {
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
