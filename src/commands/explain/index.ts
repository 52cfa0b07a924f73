import { IN } from '../../options/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { IMPORT_ID_OR_NONE, MAP } from '../../options/transform-rows.ts'
import { recordNumber, uuid } from '../../options/values.ts'
import { type Call, describe } from '../command.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

/** Which record, and those of transform that change what becomes of one. */
export const OPTIONS = [
  { ...IN, bare: false, help: 'the same as the argument, as transform takes it' },
  row({
    flag: '--line <number>',
    parse: recordNumber,
    otherwise: 'the first record',
    help: "the record's line, row or element, as rejects have it; with several files name:number",
  }),
  row({
    flag: '--uuid <uuid>',
    parse: uuid,
    help: 'the record that the event with this uuid was made of',
  }),
  row({
    flag: '--event <name>',
    help: "the first record of this event, by the source's name or by PostHog's",
  }),
  { ...PRESET_ROW, otherwise: 'as the mapping file says, else the one that the records fit' },
  MAP,
  ...EVENT_ROWS,
  IMPORT_ID_OR_NONE,
  row({
    flag: '--as-test',
    help: 'make a test of the record, and add it to those of the mapping file; without --map it is printed',
  }),
  { ...JSON_SUMMARY, help: 'print one JSON object on stdout' },
] as const

export type ExplainCall = Call<typeof OPTIONS>
export type ExplainValues = ExplainCall['values']

/** `explain`: one record beside its event. */
export const command = describe({
  argument: ['[file]', 'a file, folder or address of records, or their rejects'],
  help: `
Examples:
  posthaul explain raw/part-1.ndjson --preset mixpanel --line 12
  posthaul explain raw/ --map mapping.yaml --event 'Signed Up'
  posthaul explain raw/ --uuid 018f3c6e-1c2b-7a10-9f00-0123456789ab
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
