import { CAP_ROWS } from '../../delivery/pacer.ts'
import { ACCEPT } from '../../guards/accept.ts'
import { FILE } from '../../options/dataset-rows.ts'
import { APPROVED, BATCH_EVENTS, STATE } from '../../options/import-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { CONFIG, HOST, REGION } from '../../options/service-rows.ts'
import { OPTIONAL_API_ROWS } from '../../options/service-settings.ts'
import { WITH } from '../../options/transform-rows.ts'
import { type Call, describe } from '../command.ts'
import { DATASET_ARGUMENT, DATASET_OPTION } from '../dataset-argument.ts'

export const OPTIONS = [
  DATASET_OPTION,
  { ...FILE, bare: false, help: "files of the service's own events, as import takes them" },
  { ...WITH, help: 'switches of the preset posthog, with --file' },
  ...CAP_ROWS,
  { ...APPROVED, help: 'caps above the defaults are approved: no warning is said of them' },
  BATCH_EVENTS,
  STATE,
  { ...ACCEPT, help: 'as import takes it: what it finds is a warning, not an error' },
  JSON_SUMMARY,
  REGION,
  HOST,
  ...OPTIONAL_API_ROWS,
  CONFIG,
] as const

export type CheckCall = Call<typeof OPTIONS>

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const command = describe({
  argument: DATASET_ARGUMENT,
  help: `
Reads everything once and sends nothing; needs no key. With a personal key
(scopes project:read, group:read and query:read) it asks for the project and
what it has of these days, which group types it has and which events would not
show their groups. The caps are those of import, from the same options, settings
and defaults. What it finds is an error, a warning or a note, each with an
example and what to do. The exit code is 3 if it finds an error: something that
the service would certainly lose or change.`,
  options: OPTIONS,
  isReported: true,
  work: () => import('./run.ts'),
})
