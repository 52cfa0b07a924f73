import { DatasetSource } from '../../delivery/dataset-source.ts'
import { assertGoing, EXIT, type ExitCode, PosthaulError } from '../../errors.ts'
import { systemClock } from '../../http/clock.ts'
import { isAtWork, undoneWords } from '../../imports/undo-words.ts'
import type { Io } from '../../io.ts'
import type { LoadedMigration } from '../../migration/migration-file.ts'
import type { StageDecision, StagePlan } from '../../migration/stages.ts'
import {
  inStore,
  type RunStage,
  type RunStageName,
  type RunStep,
  type StageEnd,
  stepName,
  stepsOf,
} from '../../migration/stages.ts'
import type { MigrationWindow } from '../../migration/windows.ts'
import { RUN_STAGES } from '../../options/run-rows.ts'
import { MANIFEST } from '../../store/name.ts'
import { openStore } from '../../store/open.ts'
import type { FateCounts } from '../../telemetry/entry.ts'
import { sumOfFates } from '../../telemetry/stage-book.ts'
import { secondsJson } from '../../text/json.ts'
import { MS_PER_SECOND } from '../../text/units.ts'
import { assertWindowsKnown, type BegunImports, begunImports, undoneError } from './begun-imports.ts'
import { flawOf, outputPrint, printsOf } from './prints.ts'
import type { RunResult } from './result.ts'
import type { DoneStage, RunState } from './run-state.ts'
import {
  begunPortions,
  CHANGED,
  decideStage,
  isLook,
  NOT_DONE,
  NOT_WHOLE,
  nextPortion,
  type PortionTurn,
} from './stage-decision.ts'

export interface RunSettings {
  readonly from: RunStageName | undefined
  readonly until: RunStageName | undefined
  /** What becomes of events that were sent before what makes them changed. */
  readonly changed: 'resend' | 'keep' | undefined
  readonly stopAfterMs: number | undefined
  readonly runStage: RunStage
}

/** How a run ended. */
export interface RunEnd {
  readonly exit: ExitCode
  /** Of the whole migration; null where nothing is known. */
  readonly counts: RunResult['counts']
  readonly ran: RunResult['stages']
  readonly stoppedInTime: boolean
  readonly nextAt: string | null
  readonly error: unknown
}

/** Why no further stage is begun. */
type Halt = { readonly exit: ExitCode; readonly inTime?: boolean }

/** One run of a migration: stage after stage, window after window. */
export class MigrationRun {
  readonly #loaded: LoadedMigration
  readonly #state: RunState
  readonly #settings: RunSettings
  readonly #io: Io
  readonly #prints: ReturnType<typeof printsOf>
  readonly #imports: BegunImports
  readonly #timeOver = new AbortController()
  readonly #stopAt: number | undefined
  readonly #ran: RunResult['stages'][number][] = []
  #nextAt: string | null = null

  constructor(loaded: LoadedMigration, state: RunState, settings: RunSettings, io: Io) {
    this.#loaded = loaded
    this.#state = state
    this.#settings = settings
    this.#io = io
    this.#prints = printsOf(loaded.migration, loaded.at, state)
    const { migration, at } = loaded
    this.#imports = begunImports(at(inStore(migration, 'state')), io.env)
    this.#stopAt = settings.stopAfterMs === undefined ? undefined : performance.now() + settings.stopAfterMs
  }

  /** What there is to do, as far as it is known now: a stage that runs can give those after it more to do. */
  async plan(): Promise<StagePlan[]> {
    const turns = begunPortions(this.#loaded.migration, this.#state)
    const next = this.#next()
    if ('portion' in next) turns.push(next)
    const plans: StagePlan[] = []
    for (const turn of turns) {
      if (await this.#isSettled(turn)) continue
      let before: RunStageName | undefined
      for (const step of this.#steps(turn)) {
        const decision = before ? { runs: true, why: `after ${before}` } : await this.#decide(step, turn)
        if (decision.runs) before = step.stage
        plans.push({ step, decision })
      }
    }
    return plans
  }

  /** Runs the stages that are not done. `look` throws once another run has the migration. */
  async run(look: () => Promise<void>): Promise<RunEnd> {
    const { stopAfterMs } = this.#settings
    const ended = new AbortController()
    if (stopAfterMs !== undefined) {
      void systemClock.sleep(stopAfterMs, ended.signal).then(() => {
        if (!ended.signal.aborted) this.#timeOver.abort('stop-after')
      })
    }
    for (const stage of RUN_STAGES) {
      const counts = this.#state.counts(stage)
      if (Object.keys(counts).length > 0) this.#io.telemetry.book.know(stage, counts)
    }
    let halt: Halt | undefined
    let error: unknown
    try {
      halt = await this.#allPortions(look)
    } catch (caught) {
      error = caught
    } finally {
      ended.abort()
    }
    const isFound = this.#ran.some((stage) => stage.exit_code === EXIT.rejects) || this.#state.untold > 0
    const exit = halt && halt.exit !== EXIT.done ? halt.exit : isFound ? EXIT.rejects : EXIT.done
    return {
      exit,
      counts: this.#counts,
      ran: this.#ran,
      stoppedInTime: halt?.inTime === true,
      nextAt: this.#nextAt,
      error,
    }
  }

  /** Notes that rejects were told, by the exit code of the run that ended so. Where that can't be, the next run tells them too. */
  async tell({ exit, error }: RunEnd): Promise<void> {
    if (exit === EXIT.rejects && error === undefined) await this.#state.tell().catch(() => undefined)
  }

  /** What became of the whole migration's events, whichever run did it. */
  get #counts(): RunResult['counts'] {
    const [made, sent] = [this.#state.counts('transform'), this.#state.counts('import')]
    // An import that was killed has sent some that nothing here counts.
    if (sent.written === undefined) return null
    const rejected = (made.rejected ?? 0) + (sent.rejected ?? 0)
    return { written: sent.written, rejected, pending: (sent.pending ?? 0) + this.#state.unsent }
  }

  async #allPortions(look: () => Promise<void>): Promise<Halt | undefined> {
    for (const turn of begunPortions(this.#loaded.migration, this.#state)) {
      if (await this.#isSettled(turn)) continue
      const halt = await this.#portion(turn, look)
      if (halt) return halt
    }
    for (;;) {
      const next = this.#next()
      if (!('portion' in next)) {
        this.#nextAt = next.kind === 'wait' ? new Date(next.at).toISOString() : null
        return undefined
      }
      if (next.portion !== 'files') await this.#begin(next.portion)
      const halt = await this.#portion(next, look)
      if (halt) return halt
    }
  }

  /** What comes after the windows that were begun. Without its first stages, a run has nothing to begin a window with. */
  #next(): ReturnType<typeof nextPortion> {
    const { from = RUN_STAGES[0] } = this.#settings
    if (from !== RUN_STAGES[0] && this.#state.windows.length > 0) return { kind: 'done' }
    return nextPortion(this.#loaded.migration, this.#state, Date.now())
  }

  async #begin(window: MigrationWindow): Promise<void> {
    if (this.#state.windows.length === 0) {
      const { migration, at } = this.#loaded
      await assertWindowsKnown(await openStore(at(inStore(migration, 'events'))), window.name)
    }
    await this.#state.begin(window)
  }

  async #portion(turn: PortionTurn, look: () => Promise<void>): Promise<Halt | undefined> {
    for (const step of this.#steps(turn)) {
      await look()
      assertGoing(this.#io.interrupted)
      if (this.#timeOver.signal.aborted) return { exit: EXIT.done, inTime: true }
      const decision = await this.#decide(step, turn)
      if (!decision.runs || (step.stage === 'transform' && (await this.#isKept(step, decision)))) {
        const kept = step.stage === 'transform' ? this.#state.done(step.window, step.stage)?.kept : undefined
        const text = `${step.window}: events stay as they were sent, though ${kept}; --changed resend makes them anew`
        if (kept !== undefined) this.#io.telemetry.note('run', text, 'warn')
        continue
      }
      if (step.stage === 'export' && (await this.#isExportKept(step, decision))) continue
      if (step.stage === 'import') await this.#assertMeant(step)
      const halt = await this.#stage(step)
      if (halt) return halt
    }
    const window = stepName(turn.portion)
    if (this.#state.done(window, 'import')?.finished) await this.#state.end(window)
    return undefined
  }

  async #stage(step: RunStep): Promise<Halt | undefined> {
    const { prints } = await this.#prints.all(step)
    const startedAt = performance.now()
    this.#io.telemetry.book.enter(step.stage, this.#state.counts(step.stage, step.window))
    this.#io.telemetry.note('run', `${step.window}: ${step.stage}`)
    // An import stops in time by itself, with all that is under way acknowledged.
    const isTimed = step.stage === 'import'
    const { interrupted } = this.#io
    const signal = isTimed ? interrupted : AbortSignal.any([interrupted, this.#timeOver.signal])
    const argv = [...step.argv, ...(await this.#momentary(step))]
    const end = await this.#settings.runStage({ ...step, argv, interrupted: signal }, this.#io)
    const finished = isFinished(step.stage, end)
    const output = (await outputPrint(step)) ?? null
    const counted = end.summary?.counts as FateCounts | null | undefined
    const counts = counted && { counts: sumOfFates([counted]) }
    const record = { prints, finished, exit: end.code, output, ...counts }
    await this.#state.record(step.window, step.stage, record)
    const { code: exit, summary } = end
    const seconds = secondsJson((performance.now() - startedAt) / MS_PER_SECOND)
    const { window, stage } = step
    this.#ran.push({ window, stage, exit_code: exit, finished, seconds, summary: summary ?? null })
    if (finished || (isLook(step.stage) && exit === EXIT.rejects)) return undefined
    const inTime = !interrupted.aborted && (this.#timeOver.signal.aborted || exit === EXIT.done)
    return inTime ? { exit: EXIT.done, inTime } : { exit }
  }

  /** The words that a command has in this run only. */
  async #momentary(step: RunStep): Promise<string[]> {
    const words: string[] = []
    if (step.stage === 'export' && this.#state.done(step.window, 'export')?.exit === EXIT.rejects) {
      words.push('--refetch')
    }
    if (step.stage === 'transform') {
      words.push('--state', this.#imports.location)
      if (this.#state.isToResend(step.window)) words.push('--accept', 'rules_changed')
    }
    if (step.stage !== 'import') return words
    if (this.#stopAt !== undefined) {
      const left = Math.max(1, Math.floor((this.#stopAt - performance.now()) / MS_PER_SECOND))
      words.push('--stop-after', `${left}s`)
    }
    if (this.#state.isToResend(step.window)) {
      const begun = await this.#imports.begun(step)
      const source = await DatasetSource.open(await openStore(step.events))
      if (begun && begun.manifest !== source.manifestSha256)
        words.push('--restart', '--accept', 'sent_otherwise', 'other_imports')
      else if (await this.#imports.undo(step)) words.push('--restart')
    }
    return words
  }

  #steps(turn: PortionTurn): RunStep[] {
    const { from = RUN_STAGES[0], until = RUN_STAGES.at(-1)! } = this.#settings
    const [first, last] = [RUN_STAGES.indexOf(from), RUN_STAGES.indexOf(until)]
    return this.#allSteps(turn).filter(({ stage }) => {
      const place = RUN_STAGES.indexOf(stage)
      return place >= first && place <= last
    })
  }

  #allSteps({ portion, earlier }: PortionTurn): readonly RunStep[] {
    const { migration, at } = this.#loaded
    return stepsOf(migration, portion, earlier, at, this.#state.mark)
  }

  async #decide(step: RunStep, turn: PortionTurn): Promise<StageDecision> {
    const undo = step.stage === 'import' ? await this.#imports.undo(step) : undefined
    if (undo) return { runs: true, why: `its import is ${undoneWords(undo.request)}` }
    // The import that replaces one which was taken back forgets that. If it is killed, the end of the old one isn't its own.
    if (step.stage === 'import' && this.#state.isToResend(step.window))
      return { runs: true, why: 'its events are to be sent anew' }
    const { prints, output } = await this.#prints.all(step)
    const done = this.#state.done(step.window, step.stage)
    const decision = decideStage(step.stage, done, prints, output)
    if (!decision.runs && this.#isUnkept(done)) return { runs: true, why: done.kept }
    if (step.stage !== 'export' || decision.why !== NOT_WHOLE) return decision
    // Raw records whose events are made may be deleted, to make room.
    const transform = this.#allSteps(turn).find(({ stage }) => stage === 'transform')
    const isNeeded = transform === undefined || (await this.#decide(transform, turn)).runs
    return isNeeded ? decision : { runs: false, why: 'done, and not needed any more' }
  }

  #isUnkept(done: DoneStage | undefined): done is DoneStage & { readonly kept: string } {
    return this.#settings.changed === 'resend' && done?.kept !== undefined
  }

  /** True for a window that is done, with others after it, by the settings of today. Its data is not looked at. */
  async #isSettled(turn: PortionTurn): Promise<boolean> {
    if (!turn.isPast) return false
    for (const step of this.#steps(turn)) {
      const done = this.#state.done(step.window, step.stage)
      const now = await this.#prints.settings(step)
      if (
        !done?.finished ||
        this.#isUnkept(done) ||
        Object.entries(now).some(([name, print]) => done.prints[name] !== print)
      )
        return false
      if (
        step.stage === 'import' &&
        (this.#state.isToResend(step.window) || (await this.#imports.undo(step)))
      )
        return false
    }
    return true
  }

  /** What was taken back is not sent anew by itself: code `mismatch` if the user has not said so, or can't yet. */
  async #assertMeant(step: RunStep): Promise<void> {
    const undo = await this.#imports.undo(step)
    if (!undo) return
    if (isAtWork(undo)) throw undoneError(step, undo)
    if (this.#state.isToResend(step.window)) return
    if (this.#settings.changed !== 'resend') throw undoneError(step, undo)
    await this.#state.resend(step.window)
  }

  /** True if raw records stay as a former query gave them. Code `mismatch` if the user has not said so: export takes no other query there. */
  async #isExportKept(step: RunStep, { why }: StageDecision): Promise<boolean> {
    const done = this.#state.done(step.window, 'export')
    const { prints, output } = await this.#prints.all(step)
    if (!done?.finished || why !== CHANGED.query || output === undefined) return false
    if (this.#settings.changed === 'keep') {
      await this.#state.record(step.window, 'export', { ...done, prints })
      return true
    }
    throw new PosthaulError(`${step.window} is exported, and ${why}`, {
      code: 'mismatch',
      lines: [
        '--changed keep goes on with what was exported; later windows are asked for by what the file says now',
        `to export it anew, delete ${step.raw} first`,
      ],
      hint: 'say --changed keep, or take the change back',
    })
  }

  /**
   * Decides about a transform whose window was sent already, in part at least: what it would make are other events.
   * True if what was sent is kept. Code `mismatch` if the user has not said what should be.
   */
  async #isKept(step: RunStep, { why }: StageDecision): Promise<boolean> {
    const begun = await this.#imports.begun(step)
    if (!begun) return false
    const { changed } = this.#settings
    if (changed === 'resend' || begun.delivered === 0) {
      await this.#state.resend(step.window)
      return false
    }
    const { prints, output } = await this.#prints.all(step)
    if (changed === 'keep' && output !== undefined) {
      // Where only the record of it was lost, nothing is left out.
      const kept = why === NOT_DONE ? undefined : why
      const done = { prints, finished: true, exit: EXIT.done, output, kept }
      await this.#state.record(step.window, 'transform', done)
      return true
    }
    const flaw = await flawOf(step)
    const what = flaw ?? whatDiffers(step, why)
    throw new PosthaulError(`events of ${step.window} were sent, and would be made anew: ${what}`, {
      code: 'mismatch',
      lines: [
        flaw === undefined
          ? `--changed keep leaves these as they were sent${why === CHANGED.input ? ', and what is new in the input out' : '; later windows are made by what the file says now'}`
          : 'what was there can be put back from a copy, and is kept then',
        '--changed resend makes them anew and sends them all again: those whose name, person, uuid and time are as before merge;',
        '  of all others the project has two, for good',
      ],
      hint:
        flaw === undefined
          ? 'say which with --changed, or take the change back'
          : 'put it back, or say --changed resend',
    })
  }
}

/** A reason to make events anew, with the files that say so: one of them may be damaged, or of another migration. */
function whatDiffers({ raw, events }: RunStep, why: string): string {
  if (why === NOT_DONE) return 'run.json in the store does not say that they were made'
  const folder = why === NOT_WHOLE ? events : why === CHANGED.input ? raw : undefined
  return folder === undefined ? why : `${folder}/${MANIFEST} isn't the one that run.json knows`
}

function isFinished(stage: RunStageName, { code, summary }: StageEnd): boolean {
  if (code === EXIT.done) return stage !== 'import' || summary?.finished === true
  return code === EXIT.rejects && (stage === 'transform' || stage === 'import') && summary?.finished === true
}
