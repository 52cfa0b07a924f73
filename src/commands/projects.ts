import { plainView } from '../report/plain-view.ts'
import type { Format } from '../report/rows.ts'
import { listProjects, type Project } from '../service/projects.ts'
import { withApi } from './api-session.ts'
import type { CommandModule } from './command.ts'
import { addFormatFlag } from './format-flag.ts'
import { addApiFlags } from './service-flags.ts'
import { writeRows } from './write-rows.ts'

/** `projects list`: the projects a personal key may see, and their ids. */
export const configure: CommandModule['configure'] = (command, io) => {
  const list = command.command('list').description('the projects the key may see, and their ids')
  addApiFlags(addFormatFlag(list)).action((options: { readonly format?: Format }) =>
    withApi({ ...options }, io, async (api) => {
      await writeRows(await listProjects(api), plainView<Project>('id', 'name'), options, io)
    }),
  )
}
