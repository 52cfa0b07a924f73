import type { CommandModule } from './command.ts'
import { configureExport } from './groups/export.ts'
import { configureFind } from './groups/find.ts'
import { configureList } from './groups/list.ts'
import { configurePropertyDefinitions } from './groups/property-definitions.ts'
import { configurePropertyValues } from './groups/property-values.ts'
import { configureTypes } from './groups/types.ts'

/** `groups`: a project's groups, read and moved. */
export const configure: CommandModule['configure'] = (command, io, exit) => {
  configureTypes(command, io)
  configureList(command, io)
  configureFind(command, io)
  configurePropertyDefinitions(command, io)
  configurePropertyValues(command, io)
  configureExport(command, io, exit)
}
