import { GZIP_OUTPUT, OUT, WORK_DIR } from '../../options/dataset-rows.ts'
import { FORMAT, JSON_SUMMARY } from '../../options/output-rows.ts'
import { required, row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { BIG_INTEGERS } from '../../options/transform-rows.ts'
import { wholeNumber } from '../../options/values.ts'
import type { Call } from '../command.ts'

const TYPE = row({
  flag: '--type <type>',
  help: "a group type's index or name; posthaul groups types lists them",
})

/** Of `types` and `property-definitions`. */
export const TYPES = [FORMAT, ...API_ROWS] as const

export const LIST = [
  required(TYPE),
  row({
    flag: '--search <text>',
    help: 'only groups with this in a property, or as their key',
  }),
  row({
    flag: '--limit <n>',
    parse: wholeNumber(1),
    default: '100',
    help: 'at most this many groups',
  }),
  row({ flag: '--all', help: 'every group, without a limit' }),
  FORMAT,
  ...API_ROWS,
] as const

export const FIND = [
  required(TYPE),
  required(row({ flag: '--key <key>', help: "the group's key" })),
  row({
    flag: '--events',
    help: 'also count its events, and say when the first and the last happened',
  }),
  FORMAT,
  ...API_ROWS,
] as const

export const VALUES = [
  required(TYPE),
  required(row({ flag: '--property <name>', help: 'the property' })),
  row({ flag: '--value <text>', help: 'only values that contain this' }),
  FORMAT,
  ...API_ROWS,
] as const

export const EXPORT = [
  TYPE,
  row({ flag: '--all-types', help: 'the groups of every type' }),
  required(OUT),
  row({
    flag: '--via <way>',
    choices: ['rest', 'query'],
    otherwise: 'as the key allows',
    help: 'read by the list endpoint or by the query endpoint',
  }),
  BIG_INTEGERS,
  GZIP_OUTPUT,
  WORK_DIR,
  JSON_SUMMARY,
  ...API_ROWS,
] as const

export type ExportCall = Call<typeof EXPORT>
