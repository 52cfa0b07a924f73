import { plainView } from '../report/plain-view.ts'
import type { Format } from '../report/rows.ts'
import { listProjects, type Project } from '../service/projects.ts'
import { withApi } from './api-session.ts'
import type { CommandModule } from './command.ts'
import { addFormatFlag } from './format-flag.ts'
import { addApiFlags, addKeyHelp } from './service-flags.ts'
import { writeRows } from './write-rows.ts'

const HELP = `
Needs POSTHOG_PERSONAL_API_KEY (with the scope project:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST.`

/** `projects list`: the projects a personal key may see, and their ids. */
export const configure: CommandModule['configure'] = (command, io) => {
  command.addHelpText('after', HELP)
  const list = command.command('list').description('the projects the key may see, and their ids')
  addKeyHelp(list, 'project:read')
  addApiFlags(addFormatFlag(list)).action((options: { readonly format?: Format }) =>
    withApi({ ...options }, io, async (api) => {
      await writeRows(await listProjects(api), plainView<Project>('id', 'name'), options, io)
    }),
  )
}
