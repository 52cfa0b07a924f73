import { type Finding, findingJson } from '../../checks/finding.ts'
import { EXIT, type ExitCode } from '../../errors.ts'
import { foreseeLosses } from '../../imports/losses.ts'
import type { Io } from '../../io.ts'
import { findingLines } from '../lines.ts'
import type { RunCall } from './index.ts'
import type { RunResult } from './result.ts'
import { runOf } from './run-of.ts'
import { runStage } from './run-stage.ts'
import { dryRunLines, runPlanLines } from './text.ts'
import { runMigration } from './whole-run.ts'

export { runResult as schema } from './result.ts'
export { runLines as lines } from './text.ts'

/** Does what is left of a migration, or writes the file of a new one. */
export async function* run(call: RunCall, world: Io): AsyncGenerator<RunResult> {
  const {
    values,
    args: [file],
  } = call
  const { stdout, stderr, argv } = world
  if (values.init && file !== undefined) {
    const { initMigration } = await import('./init.ts')
    return initMigration(
      file,
      values,
      world,
      async () => (await foreseeLosses(call, world))?.retention?.firstDay,
    )
  }
  const voice = {
    plans: (plans: Parameters<typeof runPlanLines>[1]) => stderr.write(runPlanLines(file!, plans)),
    findings: (findings: readonly Finding[]) =>
      stderr.write(`${findingLines(findings.map(findingJson)).join('\n')}\n`),
  }
  const end = await runMigration(file, values, { runStage, voice }, world)
  if (end.kind === 'tried') return void stdout.write(dryRunLines(end.plans))
  yield runOf(end.subject, argv, end.kind === 'ran')
  if (end.subject.error !== undefined) throw end.subject.error
}

export const exit = ({ exit_code: code }: RunResult) => code as ExitCode

export function next({ ready, exit_code: code, next_command: then }: RunResult): readonly string[] {
  if (then === null) return []
  return [`  ${!ready && code === EXIT.rejects ? 'mend the errors, ' : ''}then: ${then}`]
}
