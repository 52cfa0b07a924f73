import { describe } from '../command.ts'
import { OPTIONS } from './options.ts'

/** `explain`: one record beside its event. */
export const command = describe({
  argument: ['<file>', 'a file, folder or address of records, their rejects, or with --uuid a dataset'],
  help: `
Examples:
  posthaul explain raw/part-1.ndjson --preset mixpanel --line 12
  posthaul explain raw/ --map mapping.yaml --event 'Signed Up'
  posthaul explain events/ --uuid 018f3c6e-1c2b-7a10-9f00-0123456789ab
  posthaul explain events/rejects.ndjson
  posthaul explain raw/ --map mapping.yaml --line a.ndjson:12 --as-test

Give the options that transform is given: they decide what becomes of a record.
Without a preset the records tell which one they fit.`,
  options: OPTIONS,
  oneOf: [['line', 'uuid', 'event']],
  isReported: true,
  isPrivate: true,
  work: () => import('./run.ts'),
})
