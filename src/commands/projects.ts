import { useOptions } from '../options/options.ts'
import { FORMAT } from '../options/rows/output-rows.ts'
import { API_ROWS } from '../options/service-settings.ts'
import { plainView } from '../report/rows.ts'
import { listProjects, type Project } from '../service/projects.ts'
import { withApi } from './api-session.ts'
import { addKeyHelp, type CommandModule } from './command.ts'
import { writeRows } from './write-rows.ts'

const HELP = `
Needs POSTHOG_PERSONAL_API_KEY (with the scope project:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST.`

/** `projects list`: the projects a personal key may see, and their ids. */
export const configure: CommandModule['configure'] = (command, io) => {
  command.addHelpText('after', HELP)
  const list = command.command('list').description('the projects the key may see, and their ids')
  addKeyHelp(list, 'project:read')
  useOptions(list, [FORMAT, ...API_ROWS], io.env, (options) =>
    withApi(options, io, async (api) => {
      await writeRows(await listProjects(api), plainView<Project>('id', 'name'), options.values, io)
    }),
  )
}
