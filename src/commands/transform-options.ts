import { ACCEPT } from '../guards/accept.ts'
import * as datasets from '../options/dataset-rows.ts'
import { STATE } from '../options/import-rows.ts'
import { JSON_SUMMARY } from '../options/output-rows.ts'
import { required, row, seldom, type Values } from '../options/row.ts'
import * as rows from '../options/transform-rows.ts'
import { wholeNumber } from '../options/values.ts'
import { EVENT_ROWS, PRESET_ROW } from './event-rows.ts'

/** Imports that keep their state elsewhere are found there. */
const STATE_OF_IMPORT = {
  ...STATE,
  otherwise: 'beside the dataset',
  help: 'where imports of the dataset keep their state: what was sent is not made anew by other rules',
} as const

/** What becomes of the records: options of whatever makes events of them, here or on many machines. */
const RULE_ROWS = [
  ...EVENT_ROWS,
  row({
    flag: '--after <dataset...>',
    help: 'datasets of earlier windows: what they have is left out, and their identity links hold',
  }),
  rows.IMPORT_ID_OR_NONE,
  seldom(STATE_OF_IMPORT),
  seldom(rows.MAX_REJECT_RATIO),
  seldom(datasets.GZIP_OUTPUT),
] as const

/** The options of `transform`. */
export const TRANSFORM_ROWS = [
  PRESET_ROW,
  required(datasets.IN),
  { ...datasets.OUT, help: `${datasets.OUT.help}; not needed with --dry-run` },
  rows.MAP,
  row({
    flag: '--dry-run',
    help: 'show records beside their events, what became of all names, rejects and members; write nothing',
  }),
  row({
    flag: '--sample <n>',
    parse: wholeNumber(1, 100_000),
    otherwise: 'all records',
    help: 'with --dry-run: try so many records, spread over the whole input, and no more',
  }),
  ...RULE_ROWS,
  ACCEPT,
  row({
    flag: '--people <n>',
    parse: wholeNumber(1, 100_000),
    help: 'make a trial, to import into a new project first: all events of n people, chosen by a hash',
  }),
  row({
    flag: '--days <n>',
    shown: 'seldom',
    parse: wholeNumber(1, 366),
    help: 'make a trial of the last n days on which anything was done, and of what links and describes their people',
  }),
  rows.WORKERS,
  datasets.WORK_DIR,
  JSON_SUMMARY,
] as const

export type TransformValues = Values<typeof TRANSFORM_ROWS>
