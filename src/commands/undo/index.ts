import { describe } from '../command.ts'
import { DATASET_ARGUMENT } from '../dataset-argument.ts'
import { OPTIONS } from './options.ts'

/** `undo`: takes an import back, as far as the service can. */
export const command = describe({
  argument: DATASET_ARGUMENT,
  help: `
Says what of an import is in the project, what would stay, and the HogQL that
selects its events. Nothing is deleted without --request: that asks PostHog to
delete them, where the project allows it. A person there approves, and they are
deleted at a weekend. Until then import refuses the same events: they would go
with the rest. Then undo --status counts what is left, and import --restart
sends them anew.

Needs POSTHOG_PERSONAL_API_KEY of an organization admin, with query:read,
project:read, data_deletion:read and data_deletion:write.`,
  options: OPTIONS,
  oneOf: [
    ['request', 'status'],
    ['dataset', 'file', 'importId'],
  ],
  work: () => import('./run.ts'),
})
