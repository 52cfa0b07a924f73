import { withApi } from '../../imports/api-session.ts'
import { useOptions } from '../../options/options.ts'
import { FORMAT } from '../../options/rows/output-rows.ts'
import { EVERY_PROJECT_ROWS } from '../../options/service-settings.ts'
import { listProjects, type Project } from '../../service/key-owner.ts'
import type { CommandModule } from '../module.ts'
import { plainView, writeRows } from '../rows.ts'

const HELP = `
Needs POSTHOG_PERSONAL_API_KEY (with the scope project:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST. Where
the key sees several projects, set POSTHOG_PROJECT_ID to the id of the one that
other commands should read.`

/** `projects list`: the projects a personal key may see, and their ids. */
export const configure: CommandModule['configure'] = (command, io) => {
  command.addHelpText('after', HELP)
  const list = command
    .command('list')
    .description('list the projects that the personal key can see, with their ids')
  list.addHelpText('after', HELP)
  useOptions(list, [FORMAT, ...EVERY_PROJECT_ROWS], io.env, (options) =>
    withApi(options, io, async (api) => {
      await writeRows(await listProjects(api), plainView<Project>('id', 'name'), options.values, io)
    }),
  )
}
