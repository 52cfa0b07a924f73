import { describe } from '../command.ts'
import { DATASET_ARGUMENTS } from '../dataset-argument.ts'
import { OPTIONS } from './options.ts'

/** `report`: one page of HTML on a migration, for those who were not there. */
export const command = describe({
  argument: DATASET_ARGUMENTS,
  help: `
Writes one HTML file that shows what was moved, from where, when and how: it
loads nothing, runs nothing, and can be sent by mail or printed. It is made of
what lies on disk or in the bucket: manifests, rejects, the state of the import,
and what verify found last. What could not be found is said on the page.

With POSTHOG_PERSONAL_API_KEY (scopes query:read and group:read; also
ingestion_warning:read and project:read, for why events are missing) the service
is asked again, as verify asks it. What it answers is kept beside the state of
the import, in place of what the last verify found, and missing events are
written to a file there, ready for import --file. Nothing is sent.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
