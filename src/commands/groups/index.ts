import { GZIP_OUTPUT, OUT, WORK_DIR } from '../../options/dataset-rows.ts'
import { FORMAT, JSON_SUMMARY } from '../../options/output-rows.ts'
import { required, row } from '../../options/row.ts'
import { API_ROWS } from '../../options/service-settings.ts'
import { BIG_INTEGERS } from '../../options/transform-rows.ts'
import { wholeNumber } from '../../options/values.ts'
import { type Call, type CommandGroup, describe } from '../command.ts'

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

const print = () => import('./print.ts')
const needs = (scope: string) => `\nNeeds POSTHOG_PERSONAL_API_KEY, scope ${scope}.`
const NEEDS = needs('group:read')

/** `groups`: a project's groups, read and moved. */
export const command: CommandGroup = {
  help: `
All need POSTHOG_PERSONAL_API_KEY (with the scope group:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST.

Examples:
  posthaul groups types
  posthaul groups list --type 0
  posthaul groups find --type organization --key acme --events
  posthaul groups export --all-types --out groups/`,
  commands: {
    types: {
      summary: "the project's group types",
      ...describe({ help: NEEDS, options: TYPES, work: async () => (await print()).types }),
    },
    list: {
      summary: 'the groups of a type, newest first',
      ...describe({ help: NEEDS, options: LIST, work: async () => (await print()).list }),
    },
    find: {
      summary: 'one group, by its key',
      ...describe({
        help: needs('group:read (--events: query:read too)'),
        options: FIND,
        work: async () => (await print()).find,
      }),
    },
    'property-definitions': {
      summary: 'the properties that groups have, and how many have each',
      ...describe({ help: NEEDS, options: TYPES, work: async () => (await print()).propertyDefinitions }),
    },
    'property-values': {
      summary: 'the commonest values of a property (the service gives at most 20)',
      ...describe({ help: NEEDS, options: VALUES, work: async () => (await print()).propertyValues }),
    },
    export: {
      summary: 'write groups as a dataset of group events, which import takes as it is',
      ...describe({
        help: needs('group:read (--via query: query:read too)'),
        options: EXPORT,
        isReported: true,
        isDeed: true,
        work: () => import('./run.ts'),
      }),
    },
  },
}
