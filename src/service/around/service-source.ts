import type { AroundCall, AroundKind, AroundSource } from '../../around/index.ts'
import type { AroundProject } from './around-project.ts'

/** A project as one whose things are pulled. `open`: with what a call may use, the API opens at the first of them. */
export function aroundSource(
  open: (call: { readonly interrupted: AbortSignal; note(text: string): void }) => AroundProject,
  { host, projectId }: { readonly host: string; readonly projectId: string },
): AroundSource {
  let project: AroundProject | undefined
  const opened = ({ signal, note }: AroundCall) => (project ??= open({ interrupted: signal, note }))
  const rows =
    <K extends AroundKind>(kind: K) =>
    async (call: AroundCall) =>
      (await opened(call).list(kind)).map(({ row }) => row)
  return {
    name: 'PostHog',
    identity: `posthog ${host} ${projectId}`,
    read: {
      events: rows('events'),
      properties: rows('properties'),
      annotations: rows('annotations'),
      cohorts: rows('cohorts'),
      reports: rows('reports'),
      dashboards: rows('dashboards'),
    },
    members: async (cohort, call) => opened(call).members(cohort.id),
    close: async () => project?.api.close(),
  }
}
