import { IMPORT_ROWS } from '../../imports/import-options.ts'
import { describe } from '../command.ts'

/** `import`: events into a project. */
export const command = describe({
  help: `
Where the events go: POSTHOG_REGION, or POSTHOG_HOST and POSTHOG_INGEST_HOST.
The key: POSTHOG_PROJECT_API_KEY, the file POSTHOG_PROJECT_API_KEY_FILE names,
or standard input; never an argument. If POSTHOG_PERSONAL_API_KEY is set too,
import first checks that the key is the project's and that events will show
their groups, and asks each minute whether events arrive: the service
acknowledges what it drops, under a wrong key or over quota. The personal key
needs the scopes project:read, query:read and group:read; with
ingestion_warning:read it is told too why events are dropped or changed.

Examples:
  posthaul import --dataset events/ --dry-run
  posthaul import --dataset events/
  posthaul import --file events.ndjson --stop-after 55m

If it is interrupted, killed or paused, the same command continues where it was.
Its state is beside the input, that of a dataset in a bucket in .state/ beside
it, or where --state says. Rejects are kept there, with the reason for each.`,
  options: IMPORT_ROWS,
  isReported: true,
  isDeed: true,
  tellsDry: true,
  work: () => import('./run.ts'),
})
