import { describe } from '../command.ts'
import { DATASET_ARGUMENT } from '../dataset-argument.ts'
import { OPTIONS } from './options.ts'

/** `check`: what an import of a dataset or of files will do, and the text of the request for approval. */
export const command = describe({
  argument: DATASET_ARGUMENT,
  help: `
Reads everything once and sends nothing; needs no key. With a personal key
(scopes project:read, group:read and query:read) it asks for the project and
what it has of these days, which group types it has and which events would not
show their groups, and which persons of the project import will put right. The
caps are those of import, from the same options, settings and defaults. What it
finds is an error, a warning or a note, each with an example and what to do. The
exit code is 3 if it finds an error: something that the service would certainly
lose or change.`,
  options: OPTIONS,
  isReported: true,
  work: () => import('./run.ts'),
})
