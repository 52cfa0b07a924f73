import { describe } from '../command.ts'
import { DATASET_ARGUMENTS } from '../dataset-argument.ts'
import { OPTIONS } from './options.ts'

/** `verify`: are the very events in the service? */
export const command = describe({
  argument: DATASET_ARGUMENTS,
  help: `
Proves that the very events arrived: for each UTC day and event name, the number
of events and a fingerprint of their ids, persons, names and times, here and in
the service. Where they differ, it names the events that are missing and those
that nobody here sent, and writes the missing ones to a file for import --file.
A sample is compared value by value. Verify datasets and files that share days
together, such as a dataset and its mended rejects.

The exit code is 0 if all is there as it was sent and every event shows its
groups, and 3 if not. A run that is cut short goes on where it stopped. Needs
POSTHOG_PERSONAL_API_KEY (with the scopes query:read and group:read) and
POSTHOG_REGION or POSTHOG_HOST. With ingestion_warning:read and project:read it
tells too why events are missing.`,
  options: OPTIONS,
  isReported: true,
  isDeed: true,
  work: () => import('./run.ts'),
})
