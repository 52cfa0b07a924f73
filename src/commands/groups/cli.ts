import type { CommandModule } from '../module.ts'
import { configureExport } from './export.ts'
import { configureFind } from './find.ts'
import { configureList } from './list.ts'
import { configurePropertyDefinitions } from './property-definitions.ts'
import { configurePropertyValues } from './property-values.ts'
import { configureTypes } from './types.ts'

const HELP = `
All need POSTHOG_PERSONAL_API_KEY (with the scope group:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST.

Examples:
  posthaul groups types
  posthaul groups list --type 0
  posthaul groups find --type organization --key acme --events
  posthaul groups export --all-types --out groups/`

/** `groups`: a project's groups, read and moved. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  configureTypes(command, io)
  configureList(command, io)
  configureFind(command, io)
  configurePropertyDefinitions(command, io)
  configurePropertyValues(command, io)
  configureExport(command, io, exit)
  command.addHelpText('after', HELP)
}
