import { Writable } from 'node:stream'
import { Drain } from '../../drain.ts'
import type { Io } from '../../io.ts'
import type { StageCall, StageEnd } from '../../migration/stages.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import { performWords } from '../perform.ts'
import { renderError } from '../render-error.ts'

/** After a stage that was told to stop, the run saves what it did and gives back its lock. */
const AFTER_STAGE_MS = 5 * MS_PER_SECOND

/** Runs a command in this process, as its command line would. What it says to people goes where the run's words go. */
export async function runStage({ argv, env, interrupted }: StageCall, io: Io): Promise<StageEnd> {
  const drain = new StageDrain(interrupted, io.drain)
  // A report, such as that of check, is for people: the run's own stdout carries data only. What comes next is the run's to say.
  const stdout = new Writable({
    write: (chunk: Buffer, _, done) => {
      io.stderr.write(chunk.toString('utf8').replace(/^Then: posthaul .*\n/m, ''))
      done()
    },
  })
  io.telemetry.takeSummary()
  const stageIo: Io = { ...io, argv, env: { ...io.env, ...env }, stdout, interrupted, drain, isStage: true }
  const code = await drain
    .within(performWords(argv, stageIo))
    .catch((error: unknown) => renderError(error, stageIo, argv.slice(0, argv[0] === 'export' ? 2 : 1)))
  return { code, summary: io.telemetry.takeSummary() }
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
