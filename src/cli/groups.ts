import type { CommandModule } from './command.ts'
import { configureExport } from './groups/export.ts'
import { configureFind } from './groups/find.ts'
import { configureList } from './groups/list.ts'
import { configurePropertyDefinitions } from './groups/property-definitions.ts'
import { configurePropertyValues } from './groups/property-values.ts'
import { configureTypes } from './groups/types.ts'

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
