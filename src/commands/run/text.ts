import type { RunStageName, StagePlan } from '../../migration/stages.ts'
import { shellLine } from '../../text/command-line.ts'
import { COLUMNS, fold } from '../../text/fold.ts'
import { Table } from '../../text/table.ts'
import { number, span } from '../../text/words.ts'
import type { RunResult } from './result.ts'

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

/** What a run did, and what the next one has to do. One that did not begin has shown why. */
export function runLines({ file, ready, stages, left, next_at: next, ...result }: RunResult): string[] {
  if (!ready) return []
  const done = stages.flatMap(({ stage, exit_code: exit, summary, seconds }) => {
    const counts = countsOf(stage, summary)
    const code = exit === 0 ? '' : `exit code ${exit}; `
    return fold(
      `${code}${counts === '' ? '' : `${counts}; `}${span(seconds * 1000)}`,
      ' '.repeat(14),
      `  ${stage.padEnd(10)}  `,
    )
  })
  const rest = [...new Set(left.map(({ stage, window }) => `${stage} of ${window}`))]
  const leftover =
    left.length > 0
      ? `left: ${rest.join(', ')}`
      : next === null
        ? 'nothing is left'
        : `nothing is left until ${next.slice(0, 16)}Z`
  const rejected = result.counts?.rejected ?? 0
  const stopped = result.error !== null ? 'stopped' : result.stopped_in_time ? 'stopped in time' : undefined
  const head = stopped ?? (left.length > 0 ? 'not finished' : 'done')
  return [
    `run: ${file}: ${head} after ${span(result.seconds * 1000)}`,
    ...done,
    ...fold(leftover, '    ', '  '),
    ...(rejected > 0
      ? fold(`rejected in the whole migration: ${number(rejected)}; rejects.ndjson says why`, '    ', '  ')
      : []),
  ]
}

/** The counts of a stage that say most, and what they are of. */
const TOLD: Readonly<Record<RunStageName, Readonly<Record<string, string>>>> = {
  export: { written: 'records' },
  transform: { written: 'events', rejected: 'rejected', duplicate: 'known already' },
  check: {},
  import: { written: 'sent', rejected: 'rejected', pending: 'to send' },
  verify: {},
}

function countsOf(stage: RunStageName, summary: RunResult['stages'][number]['summary']): string {
  const counts = (summary?.counts ?? {}) as Readonly<Record<string, number | null>>
  return Object.entries(TOLD[stage])
    .filter(([name]) => counts[name] || (name === 'written' && counts[name] === 0))
    .map(([name, words]) => `${number(counts[name]!)} ${words}`)
    .join(', ')
}
