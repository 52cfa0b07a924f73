import { type CommandGroup, describe } from '../command.ts'
import { EXPORT, FIND, LIST, TYPES, VALUES } from './options.ts'

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
