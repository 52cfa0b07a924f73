import type { CommandModule } from './command.ts'
import { configureAmplitude } from './export/amplitude.ts'
import { configureMatomo } from './export/matomo.ts'
import { configureMixpanel } from './export/mixpanel.ts'
import { configurePostHog } from './export/posthog.ts'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  configureMixpanel(command.command('mixpanel'), io, exit)
  configureAmplitude(command.command('amplitude'), io, exit)
  configureMatomo(command.command('matomo'), io, exit)
  configurePostHog(command.command('posthog'), io, exit)
  command.addHelpText('after', HELP)
}

const HELP = `
Each writes a raw dataset: one part per window, and manifest.json when all are
there. If it is killed or interrupted, the same command continues. Then run:
  posthaul transform --preset mixpanel --in raw/ --out events/`
