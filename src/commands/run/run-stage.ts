import { Writable } from 'node:stream'
import { Command } from 'commander'
import { Drain } from '../../drain.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import type { Io } from '../../io.ts'
import type { RunStageName, StageCall, StageEnd } from '../../migration/stages.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import type { AnyCommand, CommandGroup } from '../command.ts'
import type { CommandModule } from '../module.ts'
import { performWords } from '../perform.ts'
import { renderError } from '../render-error.ts'

const MODULES: Readonly<
  Record<RunStageName, () => Promise<CommandModule | { readonly command: AnyCommand | CommandGroup }>>
> = {
  export: () => import('../export/index.ts'),
  transform: () => import('../transform/index.ts'),
  check: () => import('../check/index.ts'),
  import: () => import('../import/cli.ts'),
  verify: () => import('../verify/index.ts'),
}

/** After a stage that was told to stop, the run saves what it did and gives back its lock. */
const AFTER_STAGE_MS = 5 * MS_PER_SECOND

/** Runs a command in this process, as its command line would. What it says to people goes where the run's words go. */
export async function runStage({ stage, argv, env, interrupted }: StageCall, io: Io): Promise<StageEnd> {
  const drain = new StageDrain(interrupted, io.drain)
  // A report, such as that of check, is for people: the run's own stdout carries data only.
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      io.stderr.write(chunk.toString('utf8'))
      done()
    },
  })
  io.telemetry.takeSummary()
  const stageIo: Io = { ...io, argv, env: { ...io.env, ...env }, stdout, interrupted, drain, isStage: true }
  let code: ExitCode = EXIT.done
  const module = await MODULES[stage]()
  try {
    await drain.within(work(module))
  } catch (error) {
    code = renderError(error, stageIo, argv.slice(0, argv[0] === 'export' ? 2 : 1))
  }
  return { code, summary: io.telemetry.takeSummary() }

  async function work(module: Awaited<ReturnType<(typeof MODULES)[RunStageName]>>): Promise<void> {
    if ('command' in module) {
      code = await performWords(argv, stageIo)
      return
    }
    const program = new Command('posthaul').exitOverride()
    module.configure(program.command(argv[0]!), stageIo, (result) => {
      code = result
    })
    await program.parseAsync([...argv], { from: 'user' })
  }
}

/** The drain of a stage: the run around it waits for as long as the stage may, and then saves. */
class StageDrain extends Drain {
  readonly #around: Drain

  constructor(interrupted: AbortSignal, around: Drain) {
    super(interrupted)
    this.#around = around
    around.allow(AFTER_STAGE_MS)
  }

  override allow(ms: number): void {
    super.allow(ms)
    this.#around.allow(ms + AFTER_STAGE_MS)
  }
}
