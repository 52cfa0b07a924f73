import { DRAIN_MS } from '../../drain.ts'
import { EXIT, PosthaulError } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { jsonLine } from '../../text/json.ts'
import { type CommandModule, interruption } from '../module.ts'
import { renderError } from '../render-error.ts'
import { studioAnnouncement, studioGreeting } from '../servers.ts'
import { firstState, openBench, STUDIO_ROWS, type StudioValues } from './order.ts'

const USUAL_PATH = 'mapping.yaml'

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.argument('[mapping]', `the mapping file (default: ${USUAL_PATH}), made on the first save`)
  useOptions(command, STUDIO_ROWS, io.env, async ({ values }, named) => {
    if (named.length > 1) {
      throw new PosthaulError('two mapping files were named: the studio takes one', {
        code: 'usage',
        hint: 'name records with --in',
      })
    }
    await serve(named[0] ?? USUAL_PATH, values, io)
    exit(EXIT.done)
  })
}

async function serve(path: string, values: StudioValues, io: Io): Promise<void> {
  io.drain.allow(DRAIN_MS)
  const bench = await openBench(path, values, io)
  try {
    const state = await firstState(bench, values, io)
    // Loaded only now, so that --help stays fast.
    const { openStudio } = await import('../../studio/server/open-studio.ts')
    const studio = await openStudio(bench, values.port, (error) => void renderError(error, io, ['studio']))
    // The address goes to standard output alone: it has the token, and logs have no secrets.
    io.stdout.write(values.json ? jsonLine(studioAnnouncement(studio.url, state)) : `${studio.url}\n`)
    io.stderr.write(studioGreeting(state))
    await interruption(io.interrupted)
    await studio.close()
  } finally {
    await bench.close()
  }
}
