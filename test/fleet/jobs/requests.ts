import type { JobRequest } from '../../../src/fleet/jobs/job-request.ts'

/** A place with all that YAML, JSON, shells and make read as something else. */
export const HOSTILE = `s3://b/it's "all" $HOME $(id) \`id\` #1: & 100%\\ ü`

/** A request for the file of a job. */
export function makeRequest(changes: Partial<JobRequest> = {}): JobRequest {
  const small = { cpus: 1, memoryMiB: 768, diskGiB: 12 }
  return {
    name: 'history',
    plan: '6f1e'.repeat(16),
    out: 's3://b/events',
    tasks: 8,
    image: 'posthaul:0.1.0',
    workDir: undefined,
    parallelism: undefined,
    resources: {
      map: small,
      generate: small,
      seal: { ...small, memoryMiB: 1024, diskGiB: 30 },
      finish: small,
    },
    secrets: [],
    shared: undefined,
    ...changes,
  }
}
