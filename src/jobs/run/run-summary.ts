import type { ExitCode } from '../../errors.ts'
import { COLUMNS, errorJson, folded, number, secondsJson, shellLine, span, Table } from '../../text/index.ts'
import type { RunResult } from './result.ts'
import type { StageDecision } from './stage-decision.ts'
import type { RunStageName, RunStep } from './stages.ts'

/** A stage, and whether it runs. */
export interface StagePlan {
  readonly step: RunStep
  readonly decision: StageDecision
}

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
  readonly ran: readonly RanStage[]
  readonly left: readonly StagePlan[]
  readonly stoppedInTime: boolean
  readonly nextAt: number | undefined
  readonly error: unknown
  readonly seconds: number
}

/** What a run will do: a line a stage. */
export function runPlanLines(file: string, plans: readonly StagePlan[]): string {
  if (plans.every(({ decision }) => !decision.runs)) return `run: ${file}: nothing is left to do\n`
  const table = new Table<StagePlan>(
    [
      { title: 'window', cell: ({ step }) => step.window, whole: true },
      { title: 'stage', cell: ({ step }) => step.stage, whole: true },
      { title: '', cell: ({ decision }) => (decision.runs ? 'runs' : 'skipped'), whole: true },
      { title: 'why', cell: ({ decision }) => decision.why },
    ],
    plans,
    COLUMNS - 2,
  )
  const lines = [table.head(), ...plans.map((plan) => table.row(plan))]
  return [`run: ${file}`, ...lines.map((line) => `  ${line}`), ''].join('\n')
}

/** The commands of a plan, for a shell. Those that would not run are comments. */
export function dryRunLines(plans: readonly StagePlan[]): string {
  return plans
    .map(({ step, decision }) => {
      const verb = decision.runs ? 'runs' : 'is skipped'
      const line = shellLine(step)
      return `# ${step.window}: ${step.stage} ${verb}: ${decision.why}\n${decision.runs ? '' : '# '}${line}\n`
    })
    .join('')
}

/** What a run did, and what the next one has to do. */
export function runSummary({ file, ran, left, stoppedInTime, nextAt, seconds, error }: RunSubject): string {
  const lines = ran.map(({ step, exit, summary, seconds: took }) => {
    const counts = countsOf(step.stage, summary)
    const code = exit === 0 ? '' : `exit code ${exit}; `
    return folded(
      `${code}${counts === '' ? '' : `${counts}; `}${span(took * 1000)}`,
      ' '.repeat(14),
      `  ${step.stage.padEnd(10)}  `,
    )
  })
  const rest = left.filter(({ decision }) => decision.runs)
  const stages = [...new Set(rest.map(({ step }) => `${step.stage} of ${step.window}`))]
  const leftover =
    rest.length > 0
      ? `left: ${stages.join(', ')}`
      : nextAt === undefined
        ? 'nothing is left'
        : `nothing is left until ${new Date(nextAt).toISOString().slice(0, 16)}Z`
  const head =
    error !== undefined
      ? 'stopped'
      : stoppedInTime
        ? 'stopped in time'
        : rest.length > 0
          ? 'not finished'
          : 'done'
  return `run: ${file}: ${head} after ${span(seconds * 1000)}\n${lines.join('')}${folded(leftover, '    ', '  ')}`
}

/** The summary as `--json` prints it, `version` 1. */
export function runJson(subject: RunSubject): RunResult {
  const { exit, ran, left, stoppedInTime, nextAt, error, seconds } = subject
  const rest = left.filter(({ decision }) => decision.runs)
  return {
    version: 1,
    command: 'run',
    finished: error === undefined && rest.length === 0,
    exit_code: exit,
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
    error: errorJson(error),
  }
}

/** The counts of a stage that say most. */
const TOLD: Readonly<Record<RunStageName, readonly (readonly [path: string, words: string])[]>> = {
  export: [['records', 'records']],
  transform: [
    ['counts.written', 'events'],
    ['counts.rejected', 'rejected'],
    ['counts.duplicate', 'known already'],
  ],
  check: [],
  import: [
    ['counts.written', 'sent'],
    ['counts.rejected', 'rejected'],
    ['counts.pending', 'to send'],
  ],
  verify: [],
}

function countsOf(stage: RunStageName, summary: RanStage['summary']): string {
  return TOLD[stage]
    .flatMap(([path, words]) => {
      const value = path
        .split('.')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], summary)
      return typeof value === 'number' &&
        (value > 0 || words === 'events' || words === 'sent' || words === 'records')
        ? [`${number(value)} ${words}`]
        : []
    })
    .join(', ')
}
