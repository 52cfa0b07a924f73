import { FORMAT } from '../../options/output-rows.ts'
import { EVERY_PROJECT_ROWS } from '../../options/service-settings.ts'
import { type CommandGroup, describe } from '../command.ts'

export const OPTIONS = [FORMAT, ...EVERY_PROJECT_ROWS] as const

const HELP = `
Needs POSTHOG_PERSONAL_API_KEY (with the scope project:read), or the file that
POSTHOG_PERSONAL_API_KEY_FILE names, and POSTHOG_REGION or POSTHOG_HOST. Where
the key sees several projects, set POSTHOG_PROJECT_ID to the id of the one that
other commands should read.`

/** `projects list`: the projects a personal key may see, and their ids. */
export const command: CommandGroup = {
  help: HELP,
  commands: {
    list: {
      summary: 'list the projects that the personal key can see, with their ids',
      ...describe({ help: HELP, options: OPTIONS, work: async () => (await import('./run.ts')).list }),
    },
  },
}
