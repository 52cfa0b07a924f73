import type { ExitCode } from '../../errors.ts'
import type { RunStep, StagePlan } from '../../migration/stages.ts'
import { errorJson, secondsJson } from '../../text/json.ts'
import { posthaulLine } from '../../text/shell-word.ts'
import type { RunResult } from './result.ts'

/** A stage that was run. */
export interface RanStage {
  readonly step: RunStep
  readonly exit: ExitCode
  readonly finished: boolean
  readonly seconds: number
  /** What the command prints with `--json`. */
  readonly summary: Readonly<Record<string, unknown>> | undefined
}

/** How a run ended, for its summary. */
export interface RunSubject {
  /** The migration file, as it was named. */
  readonly file: string
  readonly exit: ExitCode
  /** Of the whole migration; null where nothing is known. */
  readonly counts: RunResult['counts']
  readonly ran: readonly RanStage[]
  readonly left: readonly StagePlan[]
  readonly stoppedInTime: boolean
  readonly nextAt: number | undefined
  readonly error: unknown
  readonly seconds: number
}

/** The result of a run. */
export function runOf(subject: RunSubject, argv: readonly string[], ready: boolean): RunResult {
  const { file, exit, counts, ran, left, stoppedInTime, nextAt, error, seconds } = subject
  const rest = left.filter(({ decision }) => decision.runs)
  return {
    version: 1,
    command: 'run',
    file,
    ready,
    finished: error === undefined && rest.length === 0,
    exit_code: exit,
    counts,
    stopped_in_time: stoppedInTime,
    stages: ran.map((one) => ({
      window: one.step.window,
      stage: one.step.stage,
      exit_code: one.exit,
      finished: one.finished,
      seconds: secondsJson(one.seconds),
      summary: one.summary ?? null,
    })),
    left: rest.map(({ step, decision }) => ({ window: step.window, stage: step.stage, why: decision.why })),
    next_at: nextAt === undefined ? null : new Date(nextAt).toISOString(),
    seconds: secondsJson(seconds),
    next_command: !ready || (error === undefined && rest.length > 0) ? posthaulLine(argv) : null,
    error: errorJson(error),
  }
}
