import { DRAIN_MS } from '../../drain.ts'
import { EXIT } from '../../errors.ts'
import type { Io } from '../../io.ts'
import { useOptions } from '../../options/options.ts'
import { FAULT_HELP } from '../../sandbox/faults/fault.ts'
import { PROJECT_SETTING_HELP } from '../../sandbox/project-setting.ts'
import { makeFolder } from '../../store/own-file.ts'
import { jsonLine } from '../../text/json.ts'
import { plural } from '../../text/words.ts'
import { type CommandModule, interruption } from '../module.ts'
import { sandboxAnnouncement, sandboxGreeting } from '../servers.ts'
import { SANDBOX_ROWS, type SandboxValues, sandboxOptions } from './order.ts'

const AFTER_HELP = `
The keys are made up at the first start and kept in --data; the personal key
can be set with POSTHAUL_SANDBOX_PERSONAL_KEY. Only this machine can reach it.

${FAULT_HELP}

${PROJECT_SETTING_HELP}`

export const configure: CommandModule['configure'] = (command, io, exit) => {
  command.addHelpText('after', AFTER_HELP)
  useOptions(command, SANDBOX_ROWS, io.env, async ({ values }) => {
    await serve(values, io)
    exit(EXIT.done)
  })
}

async function serve(values: SandboxValues, io: Io): Promise<void> {
  // Loaded only now, so that --help stays fast: the sandbox brings a server and a database.
  const { startSandbox } = await import('../../sandbox/sandbox.ts')
  if (values.data !== undefined) await makeFolder(values.data)
  const sandbox = await startSandbox(sandboxOptions(values, io))
  io.drain.allow(DRAIN_MS)
  io.stderr.write(sandboxGreeting(sandbox, values))
  io.stdout.write(jsonLine(sandboxAnnouncement(sandbox)))
  await interruption(io.interrupted)
  await sandbox.close()
  const { requests, events } = sandbox.stats()
  io.stderr.write(
    `sandbox stopped after ${plural(requests, 'ingestion request')} and ${plural(events, 'event')}\n`,
  )
}
