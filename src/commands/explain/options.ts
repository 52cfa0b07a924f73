import { JSON_SUMMARY } from '../../options/output-rows.ts'
import { row } from '../../options/row.ts'
import { IMPORT_ID_OR_NONE, MAP } from '../../options/transform-rows.ts'
import { recordNumber, uuid } from '../../options/values.ts'
import type { Call } from '../command.ts'
import { EVENT_ROWS, PRESET_ROW } from '../event-rows.ts'

/** Which record, and those of transform that change what becomes of one. */
export const OPTIONS = [
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
