import type { Sandbox } from '../sandbox/sandbox.ts'
import type { StudioState } from '../studio/studio-data.ts'
import { visible } from '../text/visible.ts'
import { number, plural } from '../text/words.ts'
import type { SandboxResult, StudioResult } from './results.ts'
import type { SandboxValues } from './sandbox/order.ts'

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
export function sandboxAnnouncement(sandbox: Sandbox): SandboxResult {
  const { url, host, port, projectKey, personalKey, projectId, data } = sandbox
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

export function studioAnnouncement(url: string, { input, mapping }: StudioState): StudioResult {
  return {
    version: 1,
    command: 'studio',
    url,
    mapping: { path: mapping.path, exists: mapping.exists },
    records: input.records,
    whole: input.whole,
    pid: process.pid,
  }
}

export function studioGreeting({ input, mapping, fault }: StudioState): string {
  const { records, whole, files, estimatedRecords } = input
  const of = whole
    ? 'all there are'
    : `a sample${estimatedRecords === null ? '' : ` of about ${number(estimatedRecords)}`}`
  return [
    `studio: ${plural(records, 'record')} of ${plural(files, 'file')}, ${of}`,
    `mapping: ${visible(mapping.path)}${mapping.exists ? '' : ', made on the first save'}`,
    ...(fault ? [`  it has a fault: ${visible(fault.message)}`] : []),
    'open the address above in a browser of this machine; stop with Ctrl-C',
    '',
  ].join('\n')
}
